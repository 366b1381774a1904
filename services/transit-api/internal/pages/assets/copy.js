/* Buttons that copy the text before them. */
"use strict";
Array.from(document.querySelectorAll("button.copy")).forEach((button) => {
  if (!navigator.clipboard) return;
  button.classList.remove("waits");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(button.parentNode.querySelector("code").textContent).then(() => { button.textContent = button.dataset.done; });
  });
});
