"use strict";
(() => {
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const one = (id) => document.getElementById(id);
  const root = document.documentElement;

  // light or dark: the system's setting, until the reader chooses
  const theme = one("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const keep = (value) => { try { localStorage.setItem("mlfs-theme", value); } catch { /* no matter */ } };
  const kept = () => { try { return localStorage.getItem("mlfs-theme"); } catch { return null; } };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const showTheme = () => theme.setAttribute("aria-pressed", String(isDark()));
  if (kept()) root.dataset.theme = kept();
  showTheme();
  dark.addEventListener("change", showTheme);
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    showTheme();
  });

  // the map: describe the value under the pointer or with the keyboard focus
  const tip = one("tip");
  const settings = JSON.parse(one("settings").textContent);
  const line = (tag, text, kind) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (kind) made.className = kind;
    tip.append(made);
  };
  const hide = () => { tip.hidden = true; };
  const show = (mark) => {
    const [where, status, ...parts] = mark.getAttribute("aria-label").split("; ");
    tip.replaceChildren();
    line("b", where);
    line("p", status);
    for (const part of parts) line("p", part);
    if (settings[mark.dataset.e]) line("p", settings[mark.dataset.e], "from");
    tip.hidden = false;
    const at = mark.getBoundingClientRect();
    const box = tip.getBoundingClientRect();
    const below = at.bottom + 8 + box.height < innerHeight;
    const left = Math.min(at.left, innerWidth - box.width - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${below ? at.bottom + 8 : Math.max(8, at.top - box.height - 8)}px`;
  };
  const markAt = (event) => event.target.closest?.(".map a");
  document.addEventListener("pointerover", (event) => (markAt(event) ? show(markAt(event)) : hide()));
  document.addEventListener("focusin", (event) => (markAt(event) ? show(markAt(event)) : hide()));
  document.addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // the tab key stops once in each block; arrow keys move inside it
  for (const map of all(".map")) {
    const rows = all("tbody tr", map).map((row) => all("td", row).map((entry) => entry.querySelector("a")));
    const marks = rows.flat().filter(Boolean);
    marks.forEach((mark, i) => { mark.tabIndex = i ? -1 : 0; });
    map.addEventListener("focusin", (event) => {
      if (markAt(event)) for (const mark of marks) mark.tabIndex = mark === markAt(event) ? 0 : -1;
    });
    map.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!step || !markAt(event)) return;
      event.preventDefault();
      let i = rows.findIndex((row) => row.includes(markAt(event)));
      let j = rows[i].indexOf(markAt(event));
      do { i += step[0]; j += step[1]; } while (rows[i] && j in rows[i] && !rows[i][j]);
      rows[i]?.[j]?.focus();
    });
  }

  // show one status only
  const chips = all(".chip");
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      const on = document.body.dataset.only !== chip.dataset.only;
      for (const other of chips) other.setAttribute("aria-pressed", String(on && other === chip));
      if (on) document.body.dataset.only = chip.dataset.only;
      else delete document.body.dataset.only;
    });
  }

  // sort a table by a column: ascending, descending, original order
  const value = (row, column) => {
    const entry = row.cells[column];
    if (!column) return entry.textContent.trim();
    return "v" in entry.dataset ? Number(entry.dataset.v) : null;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return 0;
    return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  };
  for (const table of all("table.data")) {
    const body = table.tBodies[0];
    const order = [...body.rows];
    const heads = all("thead th", table);
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      if (next) head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      const known = order.filter((row) => value(row, column) !== null);
      const empty = order.filter((row) => value(row, column) === null); // these rows stay below
      if (next) known.sort((a, b) => sign * compare(value(a, column), value(b, column)));
      body.append(...(next ? [...known, ...empty] : order));
    }));
  }

  // show or hide printed values, open or close all experiments, find experiments
  const toggle = (id, act) => one(id)?.addEventListener("click", (event) => {
    const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", String(on));
    act(on);
  });
  toggle("compare", (on) => document.body.classList.toggle("compare", on));
  const experiments = "#own details.experiment, #experiments details.experiment";
  toggle("unfold", (on) => { for (const part of all(experiments)) part.open = on; });
  one("find")?.addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const part of all(experiments)) {
      const text = part.querySelector("summary").textContent.toLowerCase();
      part.hidden = !words.every((word) => text.includes(word));
    }
  });

  // a link to a folded part opens it
  const reveal = () => {
    const target = location.hash && one(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) {
      part.hidden = false;
      part.open = true;
    }
    target.scrollIntoView({ block: target.matches("td") ? "center" : "start" });
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash === location.hash) reveal(); // the hash does not change
  });
  reveal();

  // paper cannot be clicked: print folded parts, too
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => { for (const part of closed) part.open = false; });
})();
