(function () {
  "use strict";
  var box = document.getElementById("tip"), texts = new WeakMap();
  function text(mark) {
    if (!texts.has(mark)) {
      var title = mark.querySelector("title");
      texts.set(mark, title ? title.textContent : "");
      if (title) { title.remove(); }
    }
    return texts.get(mark);
  }
  function show(event) {
    var mark = event.target.closest ? event.target.closest(".tip") : null;
    if (!mark) { box.hidden = true; return; }
    box.textContent = text(mark);
    box.hidden = false;
    var room = document.documentElement.clientWidth;
    box.style.left = Math.max(8, Math.min(event.clientX + 14, room - box.offsetWidth - 8)) + "px";
    box.style.top = Math.max(8, event.clientY - box.offsetHeight - 12) + "px";
  }
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", function () { box.hidden = true; }, true);
})();
