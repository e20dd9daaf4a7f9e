"""Where did the search lose the right path? From the store to the terminal and the browser, one question a module."""
