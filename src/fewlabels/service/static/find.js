// Which classes somebody means by what is typed: the rules of the terminal's labelling, likeliest first.

export function normal(name) {
  const folded = name.toLowerCase();
  return folded.split(/[^\p{L}\p{N}\p{M}]+/u).join(" ").trim() || folded.trim();
}

// A name itself, names that begin so, names whose words begin so, names that contain it; where there is none of these,
// names that are nearly so. `sure` is false for the last: Enter takes none of them.
export function findClasses(typed, classes) {
  const wanted = normal(typed);
  if (!wanted) { return { found: classes, sure: false }; }
  const tiers = [[], [], [], [], []];
  for (const one of classes) {
    const place = tier(one, typed, wanted);
    if (place >= 0) { tiers[place].push(one); }
  }
  const found = tiers.flat();
  return found.length ? { found, sure: true } : { found: near(wanted, classes), sure: false };
}

function tier(one, typed, wanted) {
  if (one.name === typed) { return 0; }
  if (one.normal === wanted) { return 1; }
  if (one.normal.startsWith(wanted)) { return 2; }
  const words = one.normal.split(" ");
  if (wanted.split(" ").every((part) => words.some((word) => word.startsWith(part)))) { return 3; }
  return one.normal.includes(wanted) ? 4 : -1;
}

// Names that share enough pairs of letters with what is typed.
function near(wanted, classes) {
  const asked = pairs(wanted);
  const scored = classes.map((one) => ({ one, share: alike(asked, pairs(one.normal)) }));
  const close = scored.filter((each) => each.share >= 0.5).sort((a, b) => b.share - a.share);
  return close.slice(0, 5).map((each) => each.one);
}

function pairs(text) {
  const found = new Map(), padded = " " + text + " ";
  for (let i = 0; i + 1 < padded.length; i++) {
    const pair = padded.slice(i, i + 2);
    found.set(pair, (found.get(pair) || 0) + 1);
  }
  return found;
}

function alike(a, b) {
  let shared = 0, all = 0;
  for (const [pair, n] of a) { shared += Math.min(n, b.get(pair) || 0); all += n; }
  for (const n of b.values()) { all += n; }
  return all ? 2 * shared / all : 0;
}
