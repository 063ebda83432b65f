// SPDX-License-Identifier: Apache-2.0
// Draws the ranges as an icicle. Names are only ever set as text.
"use strict";
(function () {
  const data = document.getElementById("paths");
  const box = document.getElementById("icicle");
  if (!data || !box)
    return;
  const said = document.getElementById("said");
  const ROW = 22;
  const NARROWEST = 0.0008; // of the width: what is narrower is not drawn

  const nodes = JSON.parse(data.textContent).map(function (row) {
    return {
      parent: row[0], name: row[1], count: row[2], total: row[3], self: row[4], longest: row[5],
      gpu: row[6], children: [],
    };
  });
  const root = { parent: -1, name: "all", count: 1, total: 0, self: 0, children: [] };
  nodes.forEach(function (node) {
    const around = node.parent >= 0 ? nodes[node.parent] : root;
    node.around = around;
    around.children.push(node);
  });
  root.total = root.children.reduce((sum, child) => sum + child.total, 0);
  let top = root; // what is as wide as the page

  function duration(ns) {
    const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3]];
    for (const [unit, size] of units)
      if (ns >= size)
        return (ns / size).toFixed(3) + " " + unit;
    return ns + " ns";
  }

  function percent(part, all) {
    return all > 0 ? (100 * part / all).toFixed(1) + " %" : "";
  }

  function describe(node) {
    let text = node.name + ": " + duration(node.total);
    if (node !== root)
      text += " (" + percent(node.total, node.around.total) + " of the one above, " +
        percent(node.total, root.total) + " of all), itself " + duration(node.self) + ", " +
        node.count.toLocaleString("en") + " times, longest " + duration(node.longest);
    if (node.gpu > 0)
      text += ", GPU work " + duration(node.gpu);
    return text;
  }

  // One color for one name, whatever is around it.
  function color(name) {
    let hash = 7;
    for (let i = 0; i < name.length; i++)
      hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
    return "hsl(" + hash % 360 + " 55% 72%)";
  }

  // What is inside a range can take longer than it, where threads share a name: then it is made to
  // fit.
  function place(node, left, width, level, out) {
    out.push([node, left, width, level]);
    const inside = node.children.reduce((sum, child) => sum + child.total, 0);
    const whole = Math.max(node.total, inside);
    let at = left;
    for (const child of node.children) {
      const wide = whole > 0 ? width * child.total / whole : 0;
      if (wide >= NARROWEST)
        place(child, at, wide, level + 1, out);
      at += wide;
    }
  }

  function draw(focused) {
    const placed = [];
    const above = [];
    for (let node = top.around; node; node = node.around)
      above.unshift(node);
    if (top !== root)
      above.forEach((node, level) => placed.push([node, 0, 1, level]));
    place(top, 0, 1, top === root ? 0 : above.length, placed);
    box.textContent = "";
    const part = document.createDocumentFragment();
    let lowest = 0;
    for (const [node, left, width, level] of placed) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("role", "treeitem");
      button.setAttribute("aria-level", String(level + 1));
      button.setAttribute("aria-label", describe(node));
      button.title = describe(node);
      button.textContent = width > 0.02 ? node.name : "";
      button.style.left = 100 * left + "%";
      button.style.width = 100 * width + "%";
      button.style.top = level * ROW + "px";
      button.style.background = node === root ? "var(--line)" : color(node.name);
      button.tabIndex = node === focused ? 0 : -1;
      node.button = button;
      button.node = node;
      part.appendChild(button);
      lowest = Math.max(lowest, level + 1);
    }
    box.appendChild(part);
    box.style.height = lowest * ROW + "px";
    find();
  }

  function zoom(node) {
    top = node;
    draw(node);
    node.button.focus();
  }

  function visible(node) {
    return node && node.button && node.button.isConnected ? node : null;
  }

  function beside(node, step) {
    if (!node.around)
      return null;
    const row = node.around.children;
    return visible(row[row.indexOf(node) + step]);
  }

  box.addEventListener("click", function (event) {
    if (event.target.node)
      zoom(event.target.node);
  });
  box.addEventListener("focusin", function (event) {
    if (event.target.node)
      said.textContent = describe(event.target.node);
  });
  box.addEventListener("mouseover", function (event) {
    if (event.target.node)
      said.textContent = describe(event.target.node);
  });
  box.addEventListener("keydown", function (event) {
    const node = event.target.node;
    if (!node)
      return;
    let to = null;
    if (event.key === "ArrowDown")
      to = visible(node.children[0]);
    else if (event.key === "ArrowUp")
      to = visible(node.around);
    else if (event.key === "ArrowRight")
      to = beside(node, 1);
    else if (event.key === "ArrowLeft")
      to = beside(node, -1);
    else if (event.key === "Escape" && top.around)
      return zoom(top.around);
    else
      return;
    event.preventDefault();
    if (to) {
      node.button.tabIndex = -1;
      to.button.tabIndex = 0;
      to.button.focus();
    }
  });

  // ---- Find ----

  const input = document.getElementById("find");
  const found = document.getElementById("found");

  function find() {
    const text = input.value.toLowerCase();
    let n = 0, self = 0;
    for (const node of nodes) {
      const fits = text !== "" && node.name.toLowerCase().includes(text);
      if (fits) {
        n++;
        self += node.self;
      }
      if (visible(node))
        node.button.classList.toggle("dim", text !== "" && !fits);
    }
    found.textContent = text === "" ? "" :
      n + " names, " + duration(self) + " in themselves (" + percent(self, root.total) + ")";
  }

  input.addEventListener("input", find);
  draw(root);
})();
