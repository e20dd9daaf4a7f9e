// What does a reviewer say, and of which node? Buttons for marks, a form for the verdict. What is typed stays in the browser until
// the page says that it is on disk; initials stay for good. Every text is put in with textContent or as a value.
const WHO = "branchlight.reviewer";
const MARKS = [["right", "✓ right step"], ["not_right", "✗ not right"], ["none_of_its_children", "∅ none of its children is right"]];
const VERDICTS = [["generation", "generation"], ["evaluation", "evaluation"], ["control", "control"], ["not_lost", "not lost"], ["unsure", "unsure"]];
const CONFIDENCES = [["", "how sure?"], ["sure", "sure"], ["likely", "likely"], ["guess", "a guess"]];
const views = new WeakMap();
const inspected = (globalThis[Symbol.for("branchlight.inspected")] ??= { node: "", watchers: new Set() });

function kept(name) {
  try { return localStorage.getItem(name) ?? ""; } catch { return ""; }
}

function keep(name, value) {
  try { value ? localStorage.setItem(name, value) : localStorage.removeItem(name); } catch { /* private windows may refuse: then nothing outlives the page */ }
}

function make(parent, tag, cls, text) {
  const element = document.createElement(tag);
  if (cls) element.className = cls;
  if (text !== undefined) element.textContent = text;
  if (tag === "button") element.type = "button";
  parent.append(element);
  return element;
}

function field(parent, tag, cls, label, placeholder) {
  const element = make(parent, tag, cls);
  element.setAttribute("aria-label", label);
  if (placeholder) element.placeholder = placeholder;
  return element;
}

/** Who reviews: one input that all panels of the browser share. An action that needs a name waits for it. */
function whoField(view, parent) {
  const input = field(parent, "input", "who", "Reviewer: your initials", "initials");
  input.maxLength = 60;
  input.value = kept(WHO);
  const changed = () => {
    keep(WHO, input.value.trim());
    dispatchEvent(new CustomEvent(WHO));
    const waiting = view.waiting;
    view.waiting = null;
    if (waiting && input.value.trim()) waiting();
  };
  input.addEventListener("change", changed);
  input.addEventListener("keydown", (event) => event.key === "Enter" && changed());
  view.who = input;
  view.off.push(listening(WHO, () => { if (input.value !== kept(WHO)) input.value = kept(WHO); view.update(); }));
}

function listening(name, call) {
  addEventListener(name, call);
  return () => removeEventListener(name, call);
}

function say(view, kind, text) {
  view.status.className = kind;
  view.status.textContent = text;
}

function send(view, said) {
  const reviewer = view.who.value.trim();
  if (!reviewer) {
    view.waiting = () => send(view, said);
    say(view, "wrong", "Who says so? Type your initials, then Enter.");
    return view.who.focus();
  }
  const words = JSON.stringify([said, reviewer]);
  if (view.sent && view.words === words && Date.now() - view.since < 3000) return; // pressed again before the page has answered
  [view.sent, view.words, view.since] = [crypto.randomUUID(), words, Date.now()];
  say(view, "quiet", "recording …");
  view.component.setTriggerValue("said", { ...said, id: view.sent, reviewer });
}

/** Whether the page has answered what was sent last: then the draft may go, or the reason is shown. */
function answered(view) {
  const { recorded, error } = view.component.data;
  if (!view.sent || (recorded !== view.sent && error?.id !== view.sent)) return false;
  view.sent = null;
  if (error) say(view, "wrong", error.message);
  else say(view, "done", "recorded");
  return !error;
}

const mine = (view, kind) => view.component.data.lines.find((line) => line.kind === kind && line.reviewer === view.who.value.trim());

function createMarks(view) {
  const first = make(view.root, "div", "row"), group = make(first, "span", "group");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Mark this node");
  const buttons = MARKS.map(([mark, words]) => {
    const button = make(group, "button", "", words);
    button.dataset.mark = mark;
    button.addEventListener("click", () => send(view, { kind: "mark", node: view.component.data.node, mark, withdrawn: mine(view, "mark")?.mark === mark }));
    return [mark, button];
  });
  const second = make(view.root, "div", "row");
  const star = make(second, "button", "plain"), noting = make(second, "button", "plain", "✎ note");
  star.addEventListener("click", () => send(view, { kind: "bookmark", node: view.component.data.node, withdrawn: Boolean(mine(view, "bookmark")) }));
  make(second, "span", "quiet", "as");
  whoField(view, second);
  view.status = make(second, "span", "quiet");
  view.status.setAttribute("role", "status");
  const third = make(view.root, "div", "row"), note = field(third, "textarea", "tall", "Note on this node", "what you saw at this node");
  const save = make(third, "button", "", "Save note");
  const draft = () => `branchlight.note.${view.component.data.run}.${view.component.data.node}`;
  const saveNote = () => send(view, { kind: "note", node: view.component.data.node, note: note.value, withdrawn: !note.value.trim() });
  noting.addEventListener("click", () => { view.open = !view.open; view.update(); if (view.open) note.focus(); });
  note.addEventListener("input", () => keep(draft(), note.value));
  note.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && saveNote());
  save.addEventListener("click", saveNote);
  view.update = () => {
    const { node } = view.component.data;
    if (answered(view) && mine(view, "note")?.note === note.value.trim()) keep(draft(), "");
    if (node !== view.node) {
      view.node = node;
      say(view, "quiet", "");
      note.value = kept(draft()) || (mine(view, "note")?.note ?? "");
      view.open = Boolean(kept(draft()));
    }
    for (const [mark, button] of buttons) button.setAttribute("aria-pressed", String(mine(view, "mark")?.mark === mark));
    star.textContent = mine(view, "bookmark") ? "★ bookmarked" : "☆ bookmark";
    star.setAttribute("aria-pressed", String(Boolean(mine(view, "bookmark"))));
    third.hidden = !view.open;
    noting.setAttribute("aria-expanded", String(Boolean(view.open)));
    inspected.node = node;
    for (const tell of inspected.watchers) tell();
  };
}

function createVerdict(view) {
  const first = make(view.root, "div", "row"), second = make(view.root, "div", "row");
  make(first, "span", "title", "Your verdict: where was the right path lost?");
  const group = make(first, "span", "group");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Where was the right path lost?");
  const buttons = VERDICTS.map(([verdict, words]) => {
    const button = make(group, "button", "", words);
    button.dataset.verdict = verdict;
    button.addEventListener("click", () => { view.draft.verdict = view.draft.verdict === verdict ? "" : verdict; changed(); view.update(); });
    return [verdict, button];
  });
  make(first, "span", "quiet", "at node");
  const node = field(first, "input", "node", "Decisive node", "node");
  const confidence = field(first, "select", "", "Confidence");
  for (const [value, words] of CONFIDENCES) make(confidence, "option", "", words).value = value;
  const note = field(second, "textarea", "", "Note", "why: what you saw");
  const better = field(second, "input", "better", "Better alternative", "better: a node, or the step never proposed");
  whoField(view, second);
  const record = make(second, "button", "main", "Record verdict ");
  make(record, "small", "", "Ctrl + Enter");
  view.status = make(second, "span", "quiet");
  view.status.setAttribute("role", "status");
  const name = () => `branchlight.draft.${view.component.data.run}`;
  const isEmpty = () => !Object.entries(view.draft).some(([key, value]) => value && key !== "follows");
  const changed = () => keep(name(), isEmpty() ? "" : JSON.stringify(view.draft));
  const inputs = { note, better, confidence };
  for (const [key, input] of Object.entries(inputs)) input.addEventListener("input", () => { view.draft[key] = input.value; changed(); });
  node.addEventListener("input", () => { view.draft.node = node.value; changed(); });
  const submit = () => {
    if (!view.draft.verdict && isEmpty() && view.status.className === "done") return; // pressed once more after it was recorded
    if (!view.draft.verdict) return say(view, "wrong", "Choose where it was lost first.");
    send(view, { kind: "verdict", ...view.draft, node: node.value.trim() || null });
  };
  record.addEventListener("click", submit);
  view.root.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit());
  const follow = () => { if (!view.draft.node) node.value = inspected.node || view.component.data.node; };
  inspected.watchers.add(follow);
  view.off.push(() => inspected.watchers.delete(follow));
  view.update = () => {
    const { run } = view.component.data;
    if (answered(view)) {
      keep(name(), "");
      view.run = null;
    }
    if (run !== view.run) {
      view.run = run;
      view.draft = { verdict: "", note: "", better: "", confidence: "", node: "", ...parsed(kept(name())) };
      for (const [key, input] of Object.entries(inputs)) input.value = view.draft[key];
      node.value = view.draft.node;
    }
    for (const [verdict, button] of buttons) button.setAttribute("aria-pressed", String(view.draft.verdict === verdict));
    follow();
  };
}

function parsed(text) {
  try {
    const found = JSON.parse(text || "{}");
    return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === "string"));
  } catch { return {}; }
}

export default function (component) {
  const { data, parentElement } = component;
  let view = views.get(parentElement);
  if (!view) {
    const host = parentElement.querySelector(".review-host");
    view = { off: [], draft: {}, root: make(host, "div", "review"), component, turn: 0 };
    views.set(parentElement, view);
    (data.role === "marks" ? createMarks : createVerdict)(view);
  }
  view.component = component;
  const turn = ++view.turn;
  view.root.classList.toggle("dark", data.theme === "dark");
  view.update();
  return () => {
    if (view.turn !== turn) return;
    views.delete(parentElement);
    for (const off of view.off) off();
    view.root.remove();
  };
}
