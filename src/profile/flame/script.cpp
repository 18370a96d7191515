#include "profile/flame/script.h"

namespace taffrail::profile {

std::string_view flame_style() {
    return R"css(
svg.flame { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; background: #fcfcfd; user-select: none; }
.flame .head { font: 600 16px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2430; }
.flame .sub, .flame .foot, .flame .hint { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #667085; }
.flame .foot { fill: #1f2430; }
.flame .box { cursor: pointer; }
.flame .box rect { stroke: #fcfcfd; stroke-width: .6; rx: 2px; }
.flame .box text { fill: #2a1a0a; pointer-events: none; }
.flame .box:hover rect { stroke: #1f2430; stroke-width: 1.2; }
.flame .outer rect { opacity: .45; }
.flame .found rect { fill: #9b5de5 !important; }
.flame .found text { fill: #fff; }
.flame .button { font: 12px system-ui, sans-serif; fill: #3056d3; cursor: pointer; }
.flame .gone { display: none; }
.flame input { width: 100%; box-sizing: border-box; height: 22px; font: 12px system-ui, sans-serif; padding: 0 8px; color: #1f2430; background: #fff;
  border: 1px solid #d0d5dd; border-radius: 6px; outline-color: #3056d3; }
@media (prefers-color-scheme: dark) {
  svg.flame { background: #14161b; }
  .flame .head, .flame .foot { fill: #e6e8ee; }
  .flame .sub, .flame .hint { fill: #98a2b3; }
  .flame .box rect { stroke: #14161b; }
  .flame .box:hover rect { stroke: #fff; }
  .flame .button { fill: #8fb0ff; }
  .flame input { color: #e6e8ee; background: #1f232b; border-color: #3a404d; }
}
)css";
}

std::string_view flame_script() {
    return R"js(
(function () {
  const svg = document.currentScript.closest('svg');
  const width = Number(svg.dataset.width), left = Number(svg.dataset.left), glyph = Number(svg.dataset.glyph);
  const foot = svg.querySelector('.foot'), hint = svg.querySelector('.hint'), reset = svg.querySelector('.reset');
  const input = svg.querySelector('input');
  const boxes = Array.from(svg.querySelectorAll('.box'), (node) => {
    const rect = node.querySelector('rect'), title = node.querySelector('title').textContent;
    return { node, rect, label: node.querySelector('text'), title, name: title.slice(0, title.lastIndexOf('\n')),
      x: (Number(rect.getAttribute('x')) - left) / width, w: Number(rect.getAttribute('width')) / width, y: Number(rect.getAttribute('y')) };
  });
  const idle = foot.textContent;
  const tiny = 1e-7;
  let zoomed = null;

  function label(box, pixels) {
    const room = Math.floor((pixels - 6) / glyph);
    const letters = room < 3 ? [] : Array.from(box.name.replace(/ \([^()]*\/([^()\/]+\))$/, ' ($1'));
    const text = letters.length > room ? letters.slice(0, room - 1).join('') + '\u2026' : letters.join('');
    if (!box.label && text) {
      box.label = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      box.label.setAttribute('y', box.y + 12);
      box.node.appendChild(box.label);
    }
    if (box.label) {
      box.label.textContent = text;
      box.label.setAttribute('x', Number(box.rect.getAttribute('x')) + 4);
    }
  }

  function zoom(target) {
    zoomed = target;
    const from = target ? target.x : 0, scale = target ? 1 / target.w : 1;
    const inner = (box) => !target || (box.depth >= target.depth);
    for (const box of boxes) {
      const begin = (box.x - from) * scale, share = box.w * scale;
      const outer = target && box !== target && box.w > target.w - tiny && box.x <= target.x + tiny && box.x + box.w >= target.x + target.w - tiny && !inner(box);
      const visible = outer || (inner(box) && begin >= -tiny && begin + share <= 1 + 1e-4);
      box.node.classList.toggle('gone', !visible);
      box.node.classList.toggle('outer', Boolean(outer));
      if (!visible) continue;
      const pixels = outer ? width : share * width;
      box.rect.setAttribute('x', outer ? left : left + begin * width);
      box.rect.setAttribute('width', pixels);
      label(box, pixels);
    }
    reset.classList.toggle('gone', !target);
  }

  function search(text) {
    const wanted = text.toLowerCase();
    const parts = [];
    for (const box of boxes) {
      const found = wanted !== '' && box.name.toLowerCase().includes(wanted);
      box.node.classList.toggle('found', found);
      if (found) parts.push([box.x, box.x + box.w]);
    }
    parts.sort((a, b) => a[0] - b[0]);
    let sum = 0, end = 0;
    for (const [from, to] of parts) {
      sum += Math.max(0, to - Math.max(from, end));
      end = Math.max(end, to);
    }
    hint.textContent = wanted === '' ? '' : parts.length === 0 ? 'not found' : parts.length + (parts.length === 1 ? ' box, ' : ' boxes, ') + (sum * 100).toFixed(2) + ' %';
  }

  boxes.forEach((box) => {
    box.depth = Number(box.node.dataset.depth);
    box.node.addEventListener('click', () => zoom(box === zoomed ? null : box));
    box.node.addEventListener('mouseenter', () => { foot.textContent = box.title.replace('\n', '   '); });
    box.node.addEventListener('mouseleave', () => { foot.textContent = idle; });
  });
  reset.addEventListener('click', () => zoom(null));
  if (input) {
    input.addEventListener('input', () => search(input.value));
    window.addEventListener('keydown', (event) => {
      if (event.key === '/' && document.activeElement !== input) { event.preventDefault(); input.focus(); }
      if (event.key === 'Escape') { if (input.value) { input.value = ''; search(''); } else { zoom(null); } }
    });
  }
})();
)js";
}

}  // namespace taffrail::profile
