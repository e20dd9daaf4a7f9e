// Draws rows of chips and cards. Every text arrives as data and is put in with textContent, so nothing in it can run or load.
const make = (tag, cls, text) => {
  const element = document.createElement(tag);
  element.className = cls;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

function chip(fact, pick) {
  const element = make(fact.pick ? "button" : "span", `chip ${fact.tone}${fact.mono ? " mono" : ""}`);
  if (fact.pick) {
    element.type = "button";
    element.addEventListener("click", () => pick(fact.pick));
  }
  if (fact.label) element.append(make("span", "label", fact.label));
  element.append(make("span", "text", fact.text));
  if (fact.hint) element.title = fact.hint;
  return element;
}

function card(fact) {
  const element = make("div", "card");
  element.append(make("div", "label", fact.label), make("div", `value${fact.missing ? " missing" : ""}`, fact.text));
  if (fact.hint) element.append(make("div", "hint", fact.hint));
  return element;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".facts");
  const pick = (value) => setTriggerValue("picked", value);
  const draw = data.kind === "cards" ? card : (fact) => chip(fact, pick);
  const row = make("div", data.kind === "cards" ? "cards" : data.kind === "list" ? "list" : "chips");
  row.append(...data.facts.map(draw));
  host.replaceChildren(row);
}
