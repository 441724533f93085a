import type { Mutant } from "./Mutant.ts"

const readOns = ["test/dispatch/readOns.test.ts"]
const leavable = ["test/dispatch/leavable.test.ts"]
const meter = ["test/ledger/leftMeter.test.ts"]

/** Answers that go on without their clients: how many, and what they cost. */
export const hangUpMutants: ReadonlyArray<Mutant> = [
  {
    name: "hang-ups: any number of answers is read on at a time",
    file: "src/dispatch/ReadOns.ts",
    snippet: "this.#running >= most.atOnce || ",
    replacement: "",
    tests: readOns
  },
  {
    name: "hang-ups: any number of answers is read on in a minute",
    file: "src/dispatch/ReadOns.ts",
    snippet: " || this.#begun >= most.aMinute",
    replacement: "",
    tests: readOns
  },
  {
    name: "hang-ups: a minute's number is never counted anew",
    file: "src/dispatch/ReadOns.ts",
    snippet: "if (minute !== this.#minute) this.#begun = 0",
    replacement: "",
    tests: readOns
  },
  {
    name: "hang-ups: an answer that was read on keeps its place",
    file: "src/dispatch/Leavable.ts",
    snippet: "if (this.#isReadOn) this.readOns.end()",
    replacement: "",
    tests: leavable
  },
  {
    name: "hang-ups: an answer gives its place back twice",
    file: "src/dispatch/Leavable.ts",
    snippet: "    this.#isReadOn = false\n  }",
    replacement: "  }",
    tests: leavable
  },
  {
    name: "hang-ups: an answer goes on while the gateway stops",
    file: "src/dispatch/Leavable.ts",
    snippet: "if (this.isShuttingDown()) return false",
    replacement: "",
    tests: leavable
  },
  {
    name: "hang-ups: a stream that is left is charged at the plain tier",
    file: "src/ledger/meter.ts",
    snippet: 'this.#pay(this.#soFar(), "hang-up", true)',
    replacement: 'this.#pay(this.#counted(), "hang-up", true)',
    tests: meter
  },
  {
    name: "hang-ups: what was read on until the gateway stopped is free",
    file: "src/ledger/meter.ts",
    snippet: "this.#options.isShuttingDown() && !isLeft",
    replacement: "this.#options.isShuttingDown()",
    tests: meter
  },
  {
    name: "hang-ups: another route is asked for a client that left",
    file: "src/routing/tryRoutes.ts",
    snippet: 'retry === "never" || requester.isLeft === true',
    replacement: 'retry === "never"',
    tests: ["test/routing/leftRoutes.test.ts"]
  }
]
