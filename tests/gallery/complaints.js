// What is wrong with the page as it is drawn now: a list of sentences, empty where nothing is.
() => {
  const found = [];
  const say = (kind, text) => { if (found.length < 40) { found.push(kind + ": " + text.slice(0, 160)); } };
  const shown = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none") { return false; }
      if (e.tagName === "DETAILS" && !e.open && e !== element && !element.closest("summary")) { return false; }
    }
    return true;
  };
  // The part of a box that boxes around it let through: what is scrolled away is not seen.
  const clipped = (element, box) => {
    let { left, right, top, bottom } = box;
    for (let e = element; e && e !== document.body && e.tagName !== "svg"; e = e.parentElement) {
      if (getComputedStyle(e).overflowY === "visible" || e.closest("svg")) { continue; }
      const around = e.getBoundingClientRect();
      top = Math.max(top, around.top);
      bottom = Math.min(bottom, around.bottom);
    }
    return { left, right, top, bottom };
  };
  const texts = [], root = document.querySelector("dialog[open]") || document.body;  // what lies behind a dialog is dimmed
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest("script, style, title, #tip") || !shown(parent)) { continue; }
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = parent.closest("svg") ? [parent.getBoundingClientRect()] : Array.from(range.getClientRects());
    for (const whole of boxes) {
      const box = clipped(parent, whole);
      if (whole.width > 0.5 && box.bottom - box.top > 4) { texts.push({ node, parent, text: node.textContent.trim(), l: box.left, r: box.right, t: box.top + 2, b: box.bottom - 2 }); }
    }
  }
  // Overlaps: boxes of different texts that share more than a hair.
  texts.sort((a, b) => a.t - b.t);
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length && texts[j].t < texts[i].b; j++) {
      const a = texts[i], b = texts[j];
      const wide = Math.min(a.r, b.r) - Math.max(a.l, b.l), high = Math.min(a.b, b.b) - Math.max(a.t, b.t);
      if (a.node !== b.node && wide > 1.5 && high > 1.5) { say("overlap", a.text + " | " + b.text); }
    }
  }
  // Cuts: beyond the page, beyond the picture, or hidden inside of a box.
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth + 1) { say("cut", "the page is " + page.scrollWidth + " wide on " + page.clientWidth); }
  for (const t of texts) {
    const svg = t.parent.closest("svg");
    const room = svg ? svg.getBoundingClientRect() : { left: 0, right: page.clientWidth };
    const scrolls = t.parent.closest(".scroll");
    if (!scrolls && (t.l < room.left - 1.5 || t.r > room.right + 1.5)) { say("cut", t.text); }
    if (svg && (t.t < room.top - 3 || t.b > room.bottom + 3)) { say("cut", t.text); }
  }
  const fixed = getComputedStyle(document.body).overflowY === "hidden";  // such a page does not scroll as a whole
  for (const t of texts) {
    if (fixed && (t.b > innerHeight + 1.5 || t.t < -1.5)) { say("cut", "below the window: " + t.text); }
  }
  for (const e of root.querySelectorAll("*:not(svg *)")) {
    const style = getComputedStyle(e);
    if (style.overflowY !== "hidden" || style.clipPath !== "none" || !shown(e) || e.matches("input, progress, svg")) { continue; }
    if (e.scrollHeight > e.clientHeight + 2) { say("cut", e.className + " hides its lower part"); }
  }
  // Boxes to type in and to choose from: what stands in them is seen whole, and fingers find them.
  const pen = document.createElement("canvas").getContext("2d");
  for (const e of root.querySelectorAll("input:not([readonly]), select")) {
    if (!shown(e)) { continue; }
    const style = getComputedStyle(e), words = e.tagName === "SELECT" ? e.selectedOptions[0]?.text || "" : e.value || e.placeholder;
    pen.font = style.font;
    const arrow = e.tagName === "SELECT" ? 18 : 0;
    const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
    if (pen.measureText(words).width > room + 1) { say("cut", "in its box: " + words); }
  }
  for (const e of root.querySelectorAll("button, input, select, [role=option]")) {
    const box = e.getBoundingClientRect();
    if (shown(e) && (box.height < 24 || box.width < 24)) { say("small", box.width + " × " + box.height + ": " + (e.textContent || e.name)); }
  }
  for (const e of document.querySelectorAll("main *:not(svg *)")) {
    if (e.closest(".scroll") || !shown(e)) { continue; }
    if (getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 && e.tagName !== "svg") { say("cut", e.className + " scrolls"); }
  }
  // Sheets: a picture with its heading fits on one, A4 or Letter, with the margins of the page.
  if (matchMedia("print").matches) {
    for (const e of document.querySelectorAll("main section:has(figure)")) {
      const high = e.querySelector("figure").getBoundingClientRect().bottom - e.getBoundingClientRect().top;
      if (high > 949) { say("cut", "torn between sheets, " + Math.round(high) + " high: " + e.id); }
    }
  }
  // Axes: every picture says what it measures, and in which steps.
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg)) { continue; }
    const named = Array.from(svg.querySelectorAll(".m-title")).filter((e) => e.textContent.trim());
    if (!named.length) { say("axis", "no title: " + svg.getAttribute("aria-label")); }
    if (svg.querySelectorAll(".m-axis").length < 2) { say("axis", "no steps: " + svg.getAttribute("aria-label")); }
  }
  // Contrast: WCAG AA, 4.5 to 1, 3 to 1 for large letters.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[3] * top[i] + (1 - top[3]) * below[i]).concat([1]);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (t) => {
    const chain = [];
    for (let e = t.parent; e; e = e.parentElement) { chain.unshift(e); }
    let ground = [255, 255, 255, 1];
    if (matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches) { ground = [0, 0, 0, 1]; }
    for (const e of chain) { ground = over(colour(getComputedStyle(e).backgroundColor), ground); }
    const svg = t.parent.closest("svg");
    if (svg) {
      const x = (t.l + t.r) / 2, y = (t.t + t.b) / 2;
      for (const box of svg.querySelectorAll("rect")) {
        const at = box.getBoundingClientRect();
        if (box.compareDocumentPosition(t.parent) & Node.DOCUMENT_POSITION_FOLLOWING && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom) {
          const style = getComputedStyle(box), c = colour(style.fill);
          c[3] *= parseFloat(style.fillOpacity) * parseFloat(style.opacity);
          ground = over(c, ground);
        }
      }
    }
    return ground;
  };
  const seen = new Set();
  for (const t of texts) {
    const style = getComputedStyle(t.parent), svg = t.parent.closest("svg");
    const ground = behind(t), ink = over(colour(svg ? style.fill : style.color), ground);
    const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05), size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700) ? 3 : 4.5;
    const key = ink + "/" + ground;
    if (ratio < least && !seen.has(key)) { seen.add(key); say("contrast", ratio.toFixed(2) + " of " + t.text); }
  }
  return found;
}
