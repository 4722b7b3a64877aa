// A pool of child processes on isolated-vm, and its figures as one line of JSON.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";

const TRIVIAL = "async () => 6 * 7";
const CHILD = new URL("./child.mjs", import.meta.url);

class Pool {
  #idle = [];
  #queue = [];
  children = [];
  held = () => {};

  static async of(size) {
    const pool = new Pool();
    pool.children = await Promise.all(Array.from({ length: size }, () => pool.#start()));
    pool.#idle = [...pool.children];
    return pool;
  }

  async #start() {
    // isolated-vm needs the flag from Node 20 on.
    const child = fork(CHILD, { execArgv: ["--no-node-snapshot"] });
    await once(child, "message");
    child.on("message", (message) => this.#hear(child, message));
    return child;
  }

  #hear(child, message) {
    if (message.call === undefined) {
      const { resolve, reject } = child.run;
      this.#idle.push(child);
      this.#next();
      return message.error === undefined ? resolve(message.result) : reject(new Error(message.error));
    }
    const answer = (value) => child.send({ answer: message.call, value });
    if (message.name === "hold") this.held(answer);
    else answer(message.argument);
  }

  execute(code) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ code, resolve, reject });
      this.#next();
    });
  }

  #next() {
    if (this.#queue.length === 0 || this.#idle.length === 0) return;
    const child = this.#idle.shift();
    child.run = this.#queue.shift();
    child.send({ code: child.run.code });
  }

  end() {
    for (const child of this.children) child.kill();
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function percentile(samples, percent) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.round(((sorted.length - 1) * percent) / 100)];
}

async function latencies(pool, runs, pauseMs) {
  const samples = [];
  for (let i = 0; i < runs; i++) {
    if (pauseMs > 0) await sleep(pauseMs);
    samples.push(await timed(() => pool.execute(TRIVIAL)));
  }
  return { p50: percentile(samples, 50), p99: percentile(samples, 99) };
}

async function throughput(pool, atOnce, spanMs) {
  const started = performance.now();
  let runs = 0;
  const caller = async () => {
    while (performance.now() - started < spanMs) {
      await pool.execute(TRIVIAL);
      runs++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return (runs * 1_000) / (performance.now() - started);
}

async function toolCall(pool, calls, runs) {
  const program = (count) => `async () => { for (let i = 0; i < ${count}; i++) await tools.echo(i); }`;
  let [without, with_] = [0, 0];
  for (let i = 0; i < runs; i++) {
    without += await timed(() => pool.execute(program(0)));
    with_ += await timed(() => pool.execute(program(calls)));
  }
  return (with_ - without) / (calls * runs);
}

// The proportional set, and the pages that the process alone has.
function sets(child) {
  const sums = readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8");
  const sum = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(sums)[1]);
  return { proportional: sum("Pss"), own: sum("Private_Clean") + sum("Private_Dirty") };
}

async function running(pool, program) {
  const answers = [];
  const all = new Promise((resolve) => {
    pool.held = (answer) => {
      answers.push(answer);
      if (answers.length === pool.children.length) resolve();
    };
  });
  const runs = pool.children.map(() => pool.execute(program));
  await all;
  const found = pool.children.map(sets);
  for (const answer of answers) answer(null);
  await Promise.all(runs);
  return found;
}

const scale = Number(process.argv[2] ?? 1);
const program = process.argv[3];
const sizes = process.argv.slice(4).map(Number);
const cores = availableParallelism();
const cold = [];
for (let i = 0; i < 5; i++) {
  let pool;
  cold.push(
    await timed(async () => {
      pool = await Pool.of(cores);
      await pool.execute(TRIVIAL);
    }),
  );
  pool.end();
}
const pool = await Pool.of(cores);
await latencies(pool, 200 * scale, 0);
const figures = {
  node: process.version,
  engine: process.versions.v8,
  children: cores,
  coldMs: percentile(cold, 50),
  paced: await latencies(pool, 300 * scale, 5),
  warm: await latencies(pool, 1_000 * scale, 0),
  toolCallMs: await toolCall(pool, 100, 20 * scale),
  runsPerSecond: [],
  memory: {},
};
for (const atOnce of [1, 2, 4, 8]) figures.runsPerSecond.push(await throughput(pool, atOnce, 2_000 * scale));
pool.end();
for (const size of sizes) {
  const fresh = await Pool.of(size);
  const waiting = fresh.children.map(sets);
  // Its processes serve one program after another, so they have served some before they are looked at.
  await Promise.all(Array.from({ length: 200 * size * scale }, () => fresh.execute(TRIVIAL)));
  const busy = await running(fresh, program);
  figures.memory[size] = {
    idleKib: waiting.map((set) => set.proportional),
    idlePrivateKib: waiting.map((set) => set.own),
    runningKib: busy.map((set) => set.proportional),
    runningPrivateKib: busy.map((set) => set.own),
  };
  fresh.end();
}
console.log(JSON.stringify(figures));
process.exit(0);
