/*
 * Runs that take longer than a suite may: `bun run test:long NAME [ITS OPTIONS]`, and `bun run test:long --list`. Each is a
 * program of its own, which exits with 1 where something did not hold.
 */

import { runGroup } from "./processGroup.ts"

interface LongRun {
  readonly command: ReadonlyArray<string>
  /** Whether it runs the compiled binary, which is built first. */
  readonly needsBinary?: true
  readonly shows: string
  /** With its defaults, on two cores. */
  readonly takes: string
}

const vitest = ["./test/run.ts", "--config", "test/promises/vitest.config.ts"]

const runs: Readonly<Record<string, LongRun>> = {
  promises: { command: vitest, takes: "5 min", shows: "what is promised by the clock, scaled by this machine's speed" },
  faults: { command: ["./test/faults/run.ts"], takes: "as asked", shows: "the task engine, killed; --kills 1000" },
  "faults:gateway": {
    command: ["./test/faults/gateway.ts"],
    takes: "as asked",
    shows: "a whole gateway, killed; --kills 1000"
  },
  batches: {
    command: ["./test/batches/main.ts"],
    takes: "as asked",
    shows: "a batch, killed: each line once; --lines 100000 --kills 20 --database URL"
  },
  writes: { command: ["./test/faults/writes.ts"], takes: "minutes", shows: "SQLite keeps every acknowledged write" },
  money: { command: ["./test/money/drift.ts"], takes: "as asked", shows: "every sum against its rows, after kills" },
  cluster: {
    command: ["./test/cluster/main.ts"],
    takes: "10 min",
    shows: "three nodes, Postgres and Redis killed and paused"
  },
  rolling: { command: ["./test/cluster/rolling.ts"], takes: "minutes", shows: "a hundred restarts without a failure" },
  kubernetes: {
    command: ["./test/cluster/kubernetes.ts"],
    takes: "as asked",
    shows: "a rollout of three pods by the chart's times, without a failed request; --rollouts 10"
  },
  image: {
    command: ["./test/deploy/image/main.ts"],
    takes: "2 min",
    shows: "the Dockerfile's image, as two users, killed, on a former version's data; needs root, buildah, mmdebstrap"
  },
  upgrade: {
    command: ["./test/cluster/upgrade.ts"],
    takes: "3 min",
    shows: "a former version beside this one: every sum; --from <commit>"
  },
  soak: {
    command: ["./test/soak/main.ts"],
    needsBinary: true,
    takes: "as asked",
    shows: "steady speed and memory under load; --minutes 60"
  },
  bodies: {
    command: ["./test/guard/bodies/main.ts"],
    takes: "10 min",
    shows: "hostile bodies and the event loop; --short"
  },
  reports: {
    command: ["./test/reports/main.ts"],
    takes: "5 min",
    shows: "a light request beside eight readers of each report, over a seeded year; --rows 10000000"
  },
  year: {
    command: ["./test/year/main.ts"],
    takes: "10 min",
    shows: "pages, backup and retention over a seeded year; --requests 10000000 --tasks 2000000"
  },
  videos: {
    command: ["./test/videoClients/main.ts"],
    takes: "2 min",
    shows:
      "Ark's, OpenAI's and LiteLLM's libraries of PyPI make a video of each upstream; needs python3 and the network"
  },
  litellm: {
    command: ["./test/litellm/main.ts"],
    takes: "3 min",
    shows:
      "LiteLLM of PyPI, its tables and its own code's rows, imported; --record; needs python3, Postgres and the network"
  },
  presidio: {
    command: ["./test/guardrails/presidio/main.ts"],
    takes: "3 min",
    shows:
      "Presidio of PyPI behind a guardrail, with Claude Code and openai's streams: nothing leaks; killed, slow, lying; needs npm, python3 and the network"
  },
  prices: {
    command: ["./test/prices/compare.ts"],
    takes: "a minute",
    shows: "the built-in prices beside LiteLLM's list; needs python3 and the network"
  },
  properties: {
    command: ["./test/properties.ts"],
    takes: "3 min",
    shows: "the properties that the suite cuts short, with CASES=4 times its cases"
  },
  mutations: { command: ["./test/mutations/run.ts"], takes: "10 min", shows: "a test fails for each broken line" },
  agents: {
    command: ["./test/agents/main.ts"],
    takes: "10 min",
    shows: "coding agents and clients, installed and run; needs the network"
  },
  "agents:places": {
    command: ["./test/agents/places/main.ts"],
    takes: "an hour",
    shows: "coding agents in a loop of twenty turns before each place; [program] [place] [model]; needs the network"
  },
  "agents:signed-in": {
    command: ["./test/agents/main.ts", "signed-in"],
    takes: "3 min",
    shows: "Codex, Claude Code and opencode by a person's sign-in in place of a key; needs the network"
  },
  "agents:login": {
    command: ["./test/agents/login/main.ts"],
    takes: "5 min",
    shows: "Claude Code's /login, here and at the gateway that it brings along; needs npm, the reference Postgres"
  },
  phoenix: {
    command: ["./test/phoenix/main.ts"],
    takes: "5 min",
    shows:
      "Phoenix of PyPI groups sessions of Claude Code with prompts, as accounts allow; needs python3, npm, the network"
  },
  sdks: {
    command: ["./test/sdks/main.ts"],
    takes: "a minute",
    shows:
      "libraries of PyPI: clouds' own take the fakes for their servers, others use the sandbox; needs python3 and the network"
  },
  schemathesis: {
    command: ["./test/schemathesis/main.ts"],
    takes: "15 min",
    shows: "both OpenAPI documents, 20,000 cases; needs python3"
  },
  compatibility: {
    command: ["./test/e2e/upstreams/matrix/main.ts"],
    takes: "minutes",
    shows: "each request field at each upstream: scripted, bedrock-converse, litellm or aimock"
  },
  places: {
    command: ["./test/places/main.ts"],
    takes: "minutes",
    shows:
      "each kind of request before each place, which refuses as the real one does; [generated] [place] [family] [kind]"
  },
  "bench:ab": {
    command: ["./test/bench/ab.ts"],
    needsBinary: true,
    takes: "minutes",
    shows: "two builds by turns; --base DIR"
  },
  "bench:engines": {
    command: ["./test/bench/engines.ts"],
    needsBinary: true,
    takes: "3 min",
    shows: "SQLite, Postgres, and Postgres with two workers"
  },
  "bench:duties": {
    command: ["./test/bench/duties/main.ts"],
    takes: "2 min",
    shows: "the cost of each duty of a gateway; --write"
  },
  "bench:local": { command: ["./test/bench/local.ts"], takes: "1 min", shows: "the HTTP edge without an upstream" }
}

const width = Math.max(...Object.keys(runs).map((name) => name.length))

const list = (): string =>
  Object.entries(runs)
    .map(([name, { shows, takes }]) => `${name.padEnd(width)}  ${takes.padEnd(8)}  ${shows}`)
    .join("\n")

/** Twice as long as a run of the suite gives its own processes. */
const graceMs = 10_000
const bun = (args: ReadonlyArray<string>): Promise<number> => runGroup([process.execPath, ...args], { graceMs })

const [name = "--list", ...options] = process.argv.slice(2)
const run = runs[name]
if (name === "--list") {
  console.log(list())
} else if (run === undefined) {
  console.error(`no long run is called "${name}":\n${list()}`)
  process.exitCode = 2
} else {
  const built = run.needsBinary === true ? await bun(["run", "build"]) : 0
  process.exitCode = built === 0 ? await bun([...run.command, ...options]) : built
}
