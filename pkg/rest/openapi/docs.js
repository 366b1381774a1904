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
  const ask = (url) => {
    const headers = {Accept: "application/json, */*;q=0.5"};
    if (credential.value) headers["X-Api-Key"] = credential.value;
    return fetch(url, {headers, credentials: "omit"});
  };

  // A parameter of the path begins with a value of the data: its example if the list that the path names before it has
  // that, otherwise the list's first. For /members/{id} and /feeds/members/{id} the list is /members.
  const forms = find("form.try");
  const listOf = (fits) => forms.find((form) => fits(form.dataset.path) && !form.querySelector("[required]:not([data-in=path])"));
  const listAt = (template) => {
    const steps = template.split("/").slice(1);
    const of = (path) => listOf((other) => other === path);
    for (let i = 0; i < steps.length; i++) {
      const found = of("/" + steps.slice(i).join("/"));
      if (found) return found;
    }
  };
  // No list has days, but a neighbour's entries are of days: those of /performance/visits for /performance/tides/{date}.
  const folder = (path) => path.replace(/[^/]*$/, "");
  const neighbourOf = (template) => listOf((path) => folder(path) === folder(template));
  const valuesOf = async (list, name, known) => {
    try {
      const path = list.dataset.path.replace(/\{(\w+)\}/g, (whole, key) => encodeURIComponent(known[key]));
      const query = ["limit", "_format"].filter((key) => list.elements[key]).map((key) => key + "=" + (key === "limit" ? 100 : "json"));
      const answer = await ask(base + path + (query.length ? "?" + query.join("&") : ""));
      if (!answer.ok) return [];
      const body = await answer.json();
      const rows = [body.data, ...Object.values(body)].find(Array.isArray) || [];
      const keys = rows.length ? Object.keys(rows[0]) : [];
      const ends = name === "date" ? /_date$/ : /(^|_)id$/;
      const key = [name, name.split("_").pop()].find((key) => keys.includes(key)) || keys.find((key) => ends.test(key));
      return key ? rows.map((row) => String(row[key])) : [];
    } catch (e) {
      return [];
    }
  };
  const prefill = (form) => form.prefilled = form.prefilled || (async () => {
    const known = {}, steps = form.dataset.path.split("/").slice(1);
    for (let i = 0; i < steps.length; i++) {
      const name = (/\{(\w+)\}/.exec(steps[i]) || [])[1], input = name && form.elements[name];
      if (!input) continue;
      const before = "/" + steps.slice(0, i).join("/"), free = !input.hasAttribute("list") && input.value === input.defaultValue;
      const list = free && (listAt(before) || name === "date" && neighbourOf(before));
      const values = list ? await valuesOf(list, name, known) : [];
      if (values.length && !values.includes(input.value) && input.value === input.defaultValue) {
        input.value = values[0];
        form.others = {input, filled: values[0], values: values.filter((value, n) => (n & (n - 1)) === 0).slice(1)};
      } else if (values.length) {
        form.others = {input, filled: input.value, values: values.filter((value, n) => (n & (n - 1)) === 0)};
      }
      known[name] = input.value;
    }
  })();
  find("details.op").forEach((details) => {
    const form = details.querySelector("form.try");
    const opened = () => { if (details.open) prefill(form); };
    details.addEventListener("toggle", opened);
    opened();
  });

  const send = async (form) => {
    const out = form.querySelector("output"), began = performance.now();
    out.replaceChildren(make("p", "Asking …"));
    await prefill(form);
    let url = address(form);
    const curl = () => make("pre", "curl " + (credential.value ? "-H 'X-Api-Key: …' " : "") + "'" + location.origin + url + "'");
    try {
      let answer = await ask(url);
      // The first entry may not have what is asked, as a meeting to come has no minutes: older ones may.
      for (const o = form.others; o && answer.status === 404 && o.input.value === o.filled && o.values.length;) {
        o.input.value = o.filled = o.values.shift();
        answer = await ask(url = address(form));
      }
      const media = answer.headers.get("Content-Type") || "";
      const text = /text|json|xml|calendar|csv/.test(media) ? pretty(await answer.text(), media) : "";
      const said = [answer.status + " " + answer.statusText, media, Math.round(performance.now() - began) + " ms", answer.headers.get("Cache-Control")];
      out.replaceChildren(curl(), make("p", said.filter(Boolean).join(" · ")));
      if (text) out.append(make("pre", text));
    } catch (e) {
      out.replaceChildren(curl(), make("p", "The request failed: " + e.message));
    }
  };
  forms.forEach((form) => {
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  });
}());
