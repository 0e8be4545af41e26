// Requests to this study's service. A refusal carries the service's sentence; a lost connection is told apart from it.

export class Refused extends Error {
  constructor(status, sentence) { super(sentence); this.status = status; }
  get ended() { return this.status === 401 || this.status === 403; }  // the link is no longer good
}

export class Lost extends Error {}  // nobody answered, or answered that it cannot now

const csrf = document.querySelector("meta[name=csrf]");

export async function call(method, address, body, more = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") { headers["X-CSRF-Token"] = csrf ? csrf.content : ""; }
  if (body !== undefined) { headers["Content-Type"] = "application/json"; }
  let answer;
  try {
    answer = await fetch(address, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", ...more,
    });
  } catch (error) { throw new Lost(String(error)); }
  if (answer.status >= 500 || answer.status === 429) { throw new Lost("status " + answer.status); }
  let said = null;
  try { said = await answer.json(); } catch (error) {
    if (answer.ok) { throw new Lost(String(error)); }
  }
  if (!answer.ok) { throw new Refused(answer.status, sentence(said) || "The service said no (" + answer.status + ")."); }
  return said;
}

function sentence(said) {
  return said && typeof said.error === "string" ? said.error : "";
}

export const get = (address) => call("GET", address);
export const post = (address, body, more) => call("POST", address, body, more);
export const studyPath = (name) => "/api/studies/" + encodeURIComponent(name);
