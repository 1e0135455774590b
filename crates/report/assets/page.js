"use strict";
// Shows each table of records: a window onto its rows, sorted and filtered in place. Only the rows that can be
// seen are in the document, so a million of them scroll as well as ten.
//
// The page's fragment sets the table of all records, or else the first one:
// #filter=words&in=column&sort=column&order=down&state=word&row=7 (table=2 and so on for others), and
// #only=column&is=word (or has=, ends=, from= and below=) chooses rows as a click on a chart does, in all tables of its
// chapter that have the column.
(() => {
  const WHOLE = 100; // A table of so many rows shows all of each; of a longer one all rows have one height.
  const SPARE = 12; // Rows drawn beyond what is seen.
  const PRINTED = 2000; // Most rows on paper, where not every row matters.
  const SHARES = { words: 2, code: 3.2, number: 1.7, state: 1.8, time: 3.3 };

  // How many letters fit on a line of paper, and how many are left of a path, of a digest that is cut, and of one that takes
  // several lines. Of a few rows all is printed, one below the other.
  const LINE = 128;
  const PATH = 60;
  const CUT = 16;
  const WRAPPED = 34;
  const FEW = 200;

  // The letters from which on words are a sentence, for which a column is wide.
  const SENTENCE = 36;

  // Whether there is no room for columns. Rows with a state are then entries, one below the other.
  const narrow = matchMedia("screen and (max-width: 44rem)");

  // What a column takes of the width. The first names the row, and is the one to be read whole.
  const share = (column, number) => {
    if (number === 0 && column.show === "code") return 6.5;
    return column.show === "words" && hasSentences(column) ? 5 : SHARES[column.show];
  };

  const hasSentences = column => column.cells.slice(0, WHOLE).some(cell => shown(cell).length > SENTENCE);

  const setWidths = (table, columns) => {
    const widths = make("colgroup", table);
    const sum = columns.map(share).reduce((sum, one) => sum + one, 0);
    columns.forEach((column, number) => (make("col", widths).style.width = (100 * share(column, number)) / sum + "%"));
    return sum;
  };

  const make = (name, parent, text) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };

  const grouped = number => {
    const [whole, rest] = String(number).split(".");
    const digits = whole.replace("-", "");
    const apart = digits.length < 5 || /\D/.test(digits) ? whole : whole.replace(/\B(?=(\d{3})+$)/g, "\u2009");
    return rest === undefined ? apart : apart + "." + rest;
  };

  const shown = cell => (cell === null ? "" : typeof cell === "number" ? grouped(cell) : cell);

  const counted = rows => `${grouped(rows)} ${rows === 1 ? "row" : "rows"}`;

  // A cell in its column: of a time no fractions of a second.
  const within = (column, cell) => (column.show === "time" ? shown(cell).replace(/\.\d+/, "") : shown(cell));

  // Order of cells: numbers, then words, what is empty last whatever the direction.
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };

  class Records {
    constructor(place) {
      this.place = place;
      const data = JSON.parse(place.querySelector("script").textContent);
      place.querySelectorAll("script, noscript").forEach(element => element.remove());
      this.extent = data.extent;
      if (this.extent === "folded") {
        this.place = make("details", place);
        make("summary", this.place, `Show ${counted(data.rows)}`);
      }
      this.columns = data.columns;
      // A column of few words has each of them once, and their places in its cells.
      for (const column of this.columns) if (column.words) column.cells = column.cells.map(cell => (cell === null ? null : column.words[cell]));
      this.all = Uint32Array.from({ length: data.rows }, (_, row) => row);
      this.rows = this.all;
      this.whole = data.rows <= WHOLE;
      this.stated = this.columns.findIndex(column => column.show === "state");
      this.sort = null;
      this.down = false;
      this.words = [];
      this.within = -1;
      this.state = "";
      this.chosen = [];
      this.picked = -1;
      this.texts = null;
      this.tools();
      this.frame();
      this.detail = make("div", this.place);
      this.detail.className = "detail";
      this.detail.hidden = true;
      this.paper = make("div", place);
      this.paper.className = "onpaper";
      this.update();
    }

    tools() {
      const tools = make("div", this.place);
      tools.className = "tools";
      this.input = make("input", tools);
      this.input.type = "search";
      this.input.placeholder = "filter: words that a row has";
      this.input.setAttribute("aria-label", "filter");
      this.input.addEventListener("input", () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.filter(this.input.value), this.all.length > 200000 ? 250 : 60);
      });
      this.choice = make("select", tools);
      this.choice.setAttribute("aria-label", "columns that are filtered");
      const option = (choice, text, value) => (make("option", choice, text).value = value);
      option(this.choice, "in all columns", "-1");
      this.columns.forEach((column, number) => option(this.choice, "in " + column.title, number));
      this.choice.addEventListener("change", () => {
        this.within = Number(this.choice.value);
        this.update();
      });
      if (this.stated >= 0) {
        const { title, cells } = this.columns[this.stated];
        const counts = new Map();
        for (const cell of cells) counts.set(shown(cell), (counts.get(shown(cell)) || 0) + 1);
        this.states = make("select", tools);
        this.states.setAttribute("aria-label", title);
        option(this.states, "any " + title, "");
        for (const [word, count] of [...counts].sort()) option(this.states, `${word} (${grouped(count)})`, "=" + word);
        this.states.addEventListener("change", () => {
          this.state = this.states.value;
          this.update();
        });
      }
      this.count = make("output", tools);
      this.chips = make("span", tools);
      this.chips.className = "chips";
    }

    find(title) {
      return this.columns.findIndex(column => column.title === title);
    }

    // Shows only rows that these picks stand for; of columns that the table lacks, none is heeded.
    choose(picks, drop) {
      const own = picks.filter(pick => this.find(pick.column) >= 0);
      this.chosen = own.map(pick => this.test(pick));
      this.chips.replaceChildren();
      for (const pick of own) {
        const chip = make("button", this.chips, `${pick.column}: ${pick.name} ✕`);
        chip.type = "button";
        chip.title = "show all again";
        chip.addEventListener("click", () => drop(pick));
      }
      this.update();
    }

    // Whether a row is one of those that a pick stands for.
    test(pick) {
      const number = this.find(pick.column);
      const { cells } = this.columns[number];
      if (pick.is !== undefined) return row => cells[row] !== null && String(cells[row]) === pick.is;
      if (pick.has !== undefined) return row => cells[row] !== null && String(cells[row]).split(", ").includes(pick.has);
      if (pick.ends !== undefined) return row => this.lower(number)[row].endsWith(pick.ends.toLowerCase());
      const within = (cell, from, below) => (from === "" || cell >= from) && (below === "" || cell < below);
      const bound = text => (text === undefined || text === "" ? "" : Number(text));
      const [from, below] = [bound(pick.from), bound(pick.below)];
      const [first, end] = [pick.from || "", pick.below || ""];
      return row => cells[row] !== null && (typeof cells[row] === "number" ? within(cells[row], from, below) : within(cells[row], first, end));
    }

    frame() {
      this.window = make("div", this.place);
      this.window.className = this.whole ? "window whole" : "window";
      this.window.tabIndex = 0;
      const table = (this.table = make("table", this.window));
      table.style.minWidth = 3.5 * setWidths(table, this.columns) + "rem";
      this.arrange();
      const line = make("tr", make("thead", table));
      this.heads = this.columns.map((column, number) => {
        const head = make("th", line);
        head.scope = "col";
        head.className = column.show;
        const button = make("button", head, column.title);
        button.type = "button";
        button.title = "sort by " + column.title;
        button.addEventListener("click", () => this.turn(number));
        return head;
      });
      this.body = make("tbody", table);
      this.window.addEventListener("scroll", () => this.draw(), { passive: true });
      new ResizeObserver(() => this.draw()).observe(this.window);
    }

    arrange() {
      this.table.classList.toggle("entries", this.stated >= 0 && narrow.matches);
    }

    // Up, down, as it was.
    turn(number) {
      if (this.sort !== number) [this.sort, this.down] = [number, false];
      else if (!this.down) this.down = true;
      else [this.sort, this.down] = [null, false];
      this.update();
    }

    filter(text) {
      this.words = text.toLowerCase().split(/\s+/).filter(word => word);
      this.update();
    }

    // The cells of each column in lower case, made when first asked for.
    lower(number) {
      this.texts = this.texts || this.columns.map(() => null);
      const texts = this.texts;
      texts[number] = texts[number] || this.columns[number].cells.map(cell => (cell === null ? "" : String(cell).toLowerCase()));
      return texts[number];
    }

    has(row) {
      if (!this.chosen.every(test => test(row))) return false;
      if (this.state && "=" + shown(this.columns[this.stated].cells[row]) !== this.state) return false;
      return this.words.every(word => this.searched.some(texts => texts[row].includes(word)));
    }

    update() {
      const every = !this.words.length && !this.state && !this.chosen.length;
      this.searched = this.words.length
        ? this.columns.map((_, number) => number).filter(number => this.within < 0 || number === this.within).map(number => this.lower(number))
        : [];
      this.rows = every ? this.all.slice() : this.all.filter(row => this.has(row));
      if (this.sort !== null) {
        const { cells } = this.columns[this.sort];
        const sign = this.down ? -1 : 1;
        this.rows.sort((a, b) => {
          const [x, y] = [cells[a], cells[b]];
          if (x === null || y === null) return (x === null) - (y === null) || a - b;
          return sign * compare(x, y) || a - b;
        });
      }
      this.heads.forEach((head, number) => {
        if (number === this.sort) head.setAttribute("aria-sort", this.down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      const all = counted(this.all.length);
      this.count.textContent = every ? all : `${grouped(this.rows.length)} of ${all}`;
      this.window.scrollTop = 0;
      this.drawn = null;
      this.draw();
    }

    draw() {
      const height = this.height();
      const first = this.whole ? 0 : Math.max(0, Math.floor(this.window.scrollTop / height) - SPARE);
      const seen = this.whole ? WHOLE : Math.ceil((this.window.clientHeight || 700) / height) + 2 * SPARE;
      const last = Math.min(this.rows.length, first + seen);
      if (this.drawn && this.drawn.every((one, place) => one === [first, last, height][place])) return;
      this.drawn = [first, last, height];
      const lines = [this.gap(first * height)];
      for (let place = first; place < last; place++) lines.push(this.line(this.rows[place], true));
      lines.push(this.gap((this.rows.length - last) * height));
      this.body.replaceChildren(...lines);
    }

    // Pixels of a row, as the style has them for this width.
    height() {
      return parseFloat(getComputedStyle(this.window).getPropertyValue("--row")) || 28;
    }

    gap(pixels) {
      const line = make("tr");
      line.className = "gap";
      line.style.height = make("td", line).style.height = pixels + "px";
      return line;
    }

    line(row, live) {
      const line = make("tr");
      for (const column of this.columns) {
        const text = within(column, column.cells[row]);
        const cell = make("td", line, text);
        cell.dataset.label = column.title;
        cell.className = column.show + (Object.hasOwn(column.tones, text) ? " " + column.tones[text] : "");
        // A digest may be cut at the width of its column, a path or a text with blanks not.
        if (/[\s/\\]/.test(text)) cell.classList.add("long");
        if (live && text.length > 12) cell.title = text;
      }
      if (!live) return line;
      line.className = row === this.picked ? "row picked" : "row";
      line.addEventListener("click", () => this.pick(row));
      return line;
    }

    // Shows all of one row below the table.
    pick(row) {
      this.picked = row === this.picked ? -1 : row;
      this.detail.hidden = this.picked < 0;
      this.detail.replaceChildren();
      if (this.picked >= 0) {
        const list = make("dl", this.detail);
        for (const column of this.columns) {
          if (column.cells[row] === null) continue;
          const line = make("div", list);
          make("dt", line, column.title);
          make("dd", line, shown(column.cells[row])).className = column.show === "code" ? "code" : "";
        }
      }
      this.drawn = null;
      this.draw();
    }

    // What is printed: the rows as they are sorted and filtered now, up to a limit.
    print() {
      this.paper.replaceChildren();
      if (this.extent === "folded" && !this.place.open) {
        make("p", this.paper, `Not printed: ${counted(this.all.length)}.`);
        return;
      }
      const most = this.extent === "every" ? this.rows.length : PRINTED;
      const some = this.rows.length > most ? `first ${grouped(most)} of ` : "";
      const filtered = this.rows.length < this.all.length ? `, filtered from ${grouped(this.all.length)}` : "";
      make("p", this.paper, `Printed: ${some}${grouped(this.rows.length)} rows${filtered}.`);
      const rows = this.rows.subarray(0, most);
      const widths = this.columns.map((column, number) => this.letters(column, number, rows));
      const long = widths.reduce((sum, one) => sum + one, 0) > LINE;
      const cut = long && rows.length > FEW;
      const longest = cut ? CUT : long ? WRAPPED : Infinity;
      if (cut) make("p", this.paper, "Digests are cut to what fits on a line: the file that this page is of has all of each.");
      const table = make("table", this.paper);
      table.classList.toggle("cut", cut);
      table.classList.toggle("entries", long && !cut && this.stated >= 0);
      const shares = this.columns.map((column, number) => (this.isDigest(column, number) ? Math.min(longest, widths[number]) : widths[number]));
      const all = shares.reduce((sum, one) => sum + one, 0);
      const group = make("colgroup", table);
      shares.forEach(one => (make("col", group).style.width = (100 * one) / all + "%"));
      const heads = make("tr", make("thead", table));
      for (const column of this.columns) make("th", heads, column.title).className = column.show;
      const body = make("tbody", table);
      for (const row of rows) body.append(this.line(row, false));
    }

    isDigest(column, number) {
      return number > 0 && column.show === "code";
    }

    // How many letters wide a column is on paper; a long path takes several lines.
    letters(column, number, rows) {
      let most = Math.min(column.title.length, 12);
      for (const row of rows) most = Math.max(most, within(column, column.cells[row]).length);
      const wide = column.show === "time" || column.show === "number" ? 1.2 : 1;
      const apart = column.show === "state" ? 5 : 2;
      return apart + (this.isDigest(column, number) ? most : wide * Math.min(most, PATH));
    }

    // What the fragment asks for.
    obey(wish) {
      if (this.extent === "folded") this.place.open = true;
      const find = title => this.find(title);
      if (wish.has("in")) this.choice.value = this.within = find(wish.get("in"));
      if (wish.has("state") && this.states) this.states.value = this.state = "=" + wish.get("state");
      if (wish.has("sort")) this.sort = find(wish.get("sort")) < 0 ? null : find(wish.get("sort"));
      this.down = wish.get("order") === "down";
      this.input.value = wish.get("filter") || "";
      this.filter(this.input.value);
      if (wish.has("row")) this.window.scrollTop = (Number(wish.get("row")) - 1) * this.height();
      this.draw();
    }
  }

  const tables = [...document.querySelectorAll(".records")].map(place => new Records(place));

  // The rows that are chosen in a chapter, by the groups of its charts or by the page's fragment: one group of each column.
  class Chapter {
    constructor(place) {
      this.tables = tables.filter(table => place.contains(table.place) && table.place.closest("article, main") === place);
      this.parts = [...place.querySelectorAll("rect.pick")].filter(part => part.closest("article, main") === place);
      this.picks = new Map();
      this.parts.forEach(part => this.prepare(part));
      const charts = this.parts.find(part => part.isConnected)?.closest(".charts");
      if (charts) charts.before(make("p", null, "A click on a bar shows only its rows in the tables."));
    }

    prepare(part) {
      const pick = { ...part.dataset };
      if (!this.tables.some(table => table.find(pick.column) >= 0)) return part.remove();
      const name = `${pick.column}: ${pick.name}`;
      const told = document.createElementNS("http://www.w3.org/2000/svg", "title");
      told.textContent = `${name}: show only these`;
      part.append(told);
      part.ownerSVGElement.setAttribute("role", "group");
      for (const [key, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", name], ["aria-pressed", "false"]]) part.setAttribute(key, value);
      part.addEventListener("click", () => this.toggle(pick));
      part.addEventListener("keydown", event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.toggle(pick);
      });
    }

    isChosen(pick) {
      const chosen = this.picks.get(pick.column);
      return chosen !== undefined && ["is", "has", "ends", "from", "below"].every(key => chosen[key] === pick[key]);
    }

    toggle(pick) {
      if (this.isChosen(pick)) return this.drop(pick);
      this.choose(pick);
      const table = this.tables.find(table => table.extent === "first") || this.tables[0];
      table.place.closest("section").scrollIntoView();
    }

    choose(pick) {
      this.picks.set(pick.column, pick);
      this.show();
    }

    drop(pick) {
      this.picks.delete(pick.column);
      this.show();
    }

    show() {
      for (const part of this.parts) if (part.isConnected) part.setAttribute("aria-pressed", this.isChosen(part.dataset));
      this.tables.forEach(table => table.choose([...this.picks.values()], pick => this.drop(pick)));
    }
  }

  const chapters = [...document.querySelectorAll("article, main")].map(place => new Chapter(place));
  const main = Math.max(0, tables.findIndex(table => table.extent === "first"));
  const obey = () => {
    const wish = new URLSearchParams(location.hash.slice(1));
    const table = tables[wish.has("table") ? Number(wish.get("table")) - 1 : main];
    // A link to a part of the page asks nothing of a table.
    if (!table || !location.hash.includes("=")) return;
    if (wish.has("only")) {
      const given = Object.fromEntries(["is", "has", "ends", "from", "below"].filter(key => wish.has(key)).map(key => [key, wish.get(key)]));
      const name = Object.values(given).join(" – ");
      chapters.find(chapter => chapter.tables.includes(table)).choose({ column: wish.get("only"), name, ...given });
    }
    table.obey(wish);
  };
  // Short tables that are in the document, and those of records.
  const arrange = () => {
    document.querySelectorAll(".stacks").forEach(table => table.classList.toggle("entries", narrow.matches));
    tables.forEach(table => table.arrange());
  };
  narrow.addEventListener("change", arrange);
  arrange();
  addEventListener("hashchange", obey);
  addEventListener("beforeprint", () => tables.forEach(table => table.print()));
  addEventListener("afterprint", () => tables.forEach(table => table.paper.replaceChildren()));
  obey();
})();
