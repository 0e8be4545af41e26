// What forms of owners' pages share: reading a goal, and saying what went wrong.

export function goalOf(form) {
  const kind = form.elements.goal.value, size = Number(form.elements.size.value);
  if (!kind) { return null; }
  if (kind === "probability" || kind === "variance") { return { [kind]: size }; }
  return { half_width: size, of: kind === "overall" ? "overall" : "groups" };
}

export function wholeOf(input) { return input.value === "" ? null : Number(input.value); }

// The size is asked for where there is a goal; a probability is another kind of number than a width.
export function followGoal(form) {
  const { goal, size } = form.elements;
  const follow = () => {
    const label = size.closest("label");
    label.hidden = !goal.value;
    size.required = Boolean(goal.value);
    size.placeholder = goal.value === "probability" ? "0.95" : "0.05";
  };
  goal.addEventListener("change", follow);
  follow();
}

export function trouble(words) {
  const place = document.getElementById("trouble");
  place.textContent = words;
  place.hidden = !words;
}

// Do what a form is for; its button waits, and what goes wrong is said.
export function onSubmit(form, act) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    trouble("");
    try { await act(form); } catch (error) { trouble(error.message || String(error)); } finally { button.disabled = false; }
  });
}
