// One item, large: its text, its picture, its link. Whatever an item holds is text until it is known to be an address
// that may be loaded or opened.

const LONG = 600, MEDIUM = 160, ADDRESS = 300;  // characters
const TINY = 96;  // pixels; such a picture is drawn large with edges that are sharp

export function showItem(place, query) {
  const payload = query.payload || {}, parts = [], rest = [];
  for (const [name, value] of Object.entries(payload)) {
    if (value === null || value === undefined || value === "") { continue; }
    const words = typeof value === "string" ? value : JSON.stringify(value);
    if (name === "text") { parts.push(textOf(words)); }
    else if (name === "image_url") { parts.push(pictureOf(words, query)); }
    else if (name === "url") { parts.push(linkOf(words)); }
    else { rest.push([name, words]); }
  }
  if (rest.length) { parts.push(listOf(rest)); }
  if (!parts.length) { parts.push(textOf(String(query.item))); }
  place.replaceChildren(...parts);
  place.scrollTop = 0;
}

// Pictures of the next items, loaded before they are needed.
export function fetchAhead(queries) {
  for (const query of queries) {
    const address = (query.payload || {}).image_url;
    if (typeof address === "string" && loadable(address)) { pictureFrom(address); }
  }
}

function textOf(words) {
  const text = made("p", "text " + (words.length > LONG ? "long" : words.length > MEDIUM ? "medium" : "short"));
  text.dir = "auto";
  text.textContent = words;
  return text;
}

function pictureOf(address, query) {
  if (!loadable(address)) {
    return openable(address) ? linkOf(address) : unopened("This picture's address is none that can be shown:", address);
  }
  const frame = made("figure", "picture"), picture = pictureFrom(address);
  picture.alt = "The picture to label, item " + query.item;
  picture.addEventListener("load", () => picture.classList.toggle("tiny", picture.naturalWidth <= TINY));
  picture.addEventListener("error", () => {
    frame.replaceWith(unopened("The picture could not be loaded:", address));
  });
  frame.append(picture);
  return frame;
}

function pictureFrom(address) {
  const picture = new Image();
  picture.referrerPolicy = "no-referrer";
  picture.decoding = "async";
  picture.src = address;
  return picture;
}

function linkOf(address) {
  if (!openable(address)) { return unopened("This address is none that can be opened:", address); }
  const box = made("p", "link"), link = made("a", "button open"), where = made("span", "address");
  link.href = address; link.target = "_blank"; link.rel = "noopener noreferrer"; link.accessKey = "o";
  link.textContent = "Open the item in a new window";
  where.textContent = address;
  box.append(link, where);
  return box;
}

function unopened(why, address) {
  const box = made("p", "unopened"), where = made("span", "address");
  box.textContent = why + " ";
  where.textContent = address.length > ADDRESS ? address.slice(0, ADDRESS) + "…" : address;
  box.append(where);
  return box;
}

function listOf(pairs) {
  const list = made("dl", "more");
  for (const [name, words] of pairs) {
    const head = made("dt"), said = made("dd");
    head.textContent = name; said.textContent = words; said.dir = "auto";
    list.append(head, said);
  }
  return list;
}

// Whole addresses only: nothing an item says is asked of this service itself.
function loadable(address) {
  return /^data:image\//i.test(address) || protocol(address) === "https:";
}

function openable(address) {
  return ["http:", "https:"].includes(protocol(address));
}

function protocol(address) {
  try { return new URL(address).protocol; } catch { return ""; }
}

function made(tag, kind = "") {
  const element = document.createElement(tag);
  if (kind) { element.className = kind; }
  return element;
}
