/* Buttons that copy the text before them. */
"use strict";
Array.from(document.querySelectorAll("button.copy")).forEach((button) => {
  if (!navigator.clipboard) return;
  button.classList.remove("waits");
  button.addEventListener("click", () => {
    const code = button.parentNode.querySelector("code");
    // If the browser does not let the page copy, the text is selected, so that the reader can.
    navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = button.dataset.done; }, () => getSelection().selectAllChildren(code));
  });
});
