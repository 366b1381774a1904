// The documentation's page is whole without this script, which adds the search, opens what an address points at, and sends requests.
(function () {
  "use strict";
  const find = (selector, of) => Array.from((of || document).querySelectorAll(selector));
  const make = (tag, text) => Object.assign(document.createElement(tag), {textContent: text});

  // An address with # opens what it names.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target && target.closest("details");
    if (!details) return;
    details.open = true;
    details.scrollIntoView();
    details.firstElementChild.focus({preventScroll: true});
  };
  addEventListener("hashchange", reveal);
  reveal();

  // The search looks at all words of an operation or schema.
  const search = document.getElementById("search"), query = document.getElementById("q"), found = document.getElementById("found");
  const entries = find("details").map((details) => {
    const body = details.querySelector(".body");
    return {details, text: details.textContent.toLowerCase(), link: document.querySelector('nav a[href="#' + CSS.escape(body.id) + '"]')};
  });
  const look = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let operations = 0;
    entries.forEach((e) => {
      const fits = words.every((word) => e.text.includes(word));
      e.details.hidden = !fits;
      if (e.link) e.link.parentNode.hidden = !fits;
      if (fits && e.details.classList.contains("op")) operations++;
    });
    found.textContent = words.length ? operations + (operations === 1 ? " operation" : " operations") : "";
  };
  query.addEventListener("input", look);
  search.addEventListener("submit", (event) => event.preventDefault());

  // The forms send their request and show what comes.
  const base = location.pathname.replace(/\/docs\/?$/, "");
  const credential = document.getElementById("credential");
  document.getElementById("key").addEventListener("submit", (event) => event.preventDefault());
  const most = 100000; // characters that are shown

  const address = (form) => {
    const pairs = [];
    let path = form.dataset.path;
    find("input", form).forEach((input) => {
      const value = input.value.trim();
      if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", () => encodeURIComponent(value));
      else if (value) pairs.push(encodeURIComponent(input.name) + "=" + encodeURIComponent(value));
    });
    return base + path + (pairs.length ? "?" + pairs.join("&") : "");
  };
  const pretty = (text, media) => {
    if (/json/.test(media)) try { text = JSON.stringify(JSON.parse(text), null, 2); } catch (e) { /* shown as it came */ }
    return text.length > most ? text.slice(0, most) + "\n… " + (text.length - most) + " more characters" : text;
  };
  const send = async (form) => {
    const out = form.querySelector("output"), url = address(form), began = performance.now();
    const headers = {Accept: "application/json, */*;q=0.5"};
    if (credential.value) headers["X-Api-Key"] = credential.value;
    out.replaceChildren(make("p", "Asking …"));
    const curl = make("pre", "curl " + (credential.value ? "-H 'X-Api-Key: …' " : "") + "'" + location.origin + url + "'");
    try {
      const answer = await fetch(url, {headers, credentials: "omit"});
      const media = answer.headers.get("Content-Type") || "";
      const text = /text|json|xml|calendar|csv/.test(media) ? pretty(await answer.text(), media) : "";
      const said = [answer.status + " " + answer.statusText, media, Math.round(performance.now() - began) + " ms", answer.headers.get("Cache-Control")];
      out.replaceChildren(curl, make("p", said.filter(Boolean).join(" · ")));
      if (text) out.append(make("pre", text));
    } catch (e) {
      out.replaceChildren(curl, make("p", "The request failed: " + e.message));
    }
  };
  find("form.try").forEach((form) => {
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  });
}());
