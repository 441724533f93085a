import type { Mutant } from "./Mutant.ts"

const unit = ["test/http/unfinished.test.ts"]
const form = ["test/http/form/readForm.test.ts"]

/** What one caller's unfinished requests could take from others. */
export const unfinishedMutants: ReadonlyArray<Mutant> = [
  {
    name: "unfinished: a key may hold what all may",
    file: "src/http/Unfinished.ts",
    snippet: 'if (held[what] + amounts[what] > most[what]) return { of: "key", what, most: most[what] }',
    replacement: "",
    tests: unit
  },
  {
    name: "unfinished: nothing bounds all keys together",
    file: "src/http/Unfinished.ts",
    snippet: 'if (this.#ofAll[what] + amounts[what] > ofAll[what]) return { of: "all", what, most: ofAll[what] }',
    replacement: "",
    tests: unit
  },
  {
    name: "unfinished: a request that has ended still counts",
    file: "src/http/Unfinished.ts",
    snippet: "      held[what] -= amounts[what]\n      this.#ofAll[what] -= amounts[what]",
    replacement: "",
    tests: unit
  },
  {
    name: "unfinished: the process keeps no descriptors free",
    file: "src/http/Unfinished.ts",
    snippet: "if (this.#descriptors.isScarce()) return false",
    replacement: "",
    tests: unit
  },
  {
    name: "unfinished: a key's own bound does not count",
    file: "src/http/Unfinished.ts",
    snippet: "keyLimits.unfinished === undefined ? ofKey",
    replacement: "key !== undefined ? ofKey",
    tests: unit
  },
  {
    name: "unfinished: a running request gives its connection back",
    file: "src/http/handled.ts",
    snippet: "else record.holding = holding",
    replacement: "else holding.end()",
    tests: ["test/e2e/unfinishedForms.test.ts"]
  },
  {
    name: "unfinished: a refused request keeps its connection",
    file: "src/http/handled.ts",
    snippet: 'reply.headers["connection"] = "close"',
    replacement: "void reply",
    tests: ["test/e2e/unfinishedForms.test.ts"]
  },
  {
    name: "unfinished: each small file of a form has a descriptor",
    file: "src/http/form/Spool.ts",
    snippet: "this.#bytes + chunk.length <= inMemory",
    replacement: "this.#bytes + chunk.length < 0",
    tests: form
  },
  {
    name: "unfinished: a form's file on disk does not count",
    file: "src/http/form/Spool.ts",
    snippet: 'const refused = this.#holding.open("file")',
    replacement: "const refused = undefined",
    tests: form
  },
  {
    name: "unfinished: a form's bytes on disk do not count",
    file: "src/http/form/Spool.ts",
    snippet: 'this.#holding.more(chunk.length, "disk") ?? (await this.#toDisk())',
    replacement: "await this.#toDisk()",
    tests: form
  },
  {
    name: "unfinished: silent connections take every descriptor",
    file: "src/http/shedding.ts",
    snippet: "if (descriptors.isFlooded()) listener.pause()",
    replacement: "",
    tests: ["test/http/shedding.test.ts"]
  },
  {
    name: "unfinished: our own shortage opens a circuit",
    file: "src/routing/Bulkhead.ts",
    snippet: " || error.keptBack === true) circuit.abandoned(permit)",
    replacement: ") circuit.abandoned(permit)",
    tests: ["test/routing/bulkhead.test.ts"]
  },
  {
    name: "unfinished: our own shortage makes a video upstream silent",
    file: "src/videos/pacing.ts",
    snippet: 'if ("keptBack" in error && error.keptBack === true) return Effect.void',
    replacement: "",
    tests: ["test/videos/outages.test.ts"]
  },
  {
    name: "unfinished: images of a form are read before a refusal",
    file: "src/videos/openai/references.ts",
    snippet: "hasFiles ? check(partsOf(looks.map(({ media }) => media))) : Effect.void",
    replacement: "Effect.void",
    tests: ["test/videos/openai/references.test.ts"]
  },
  {
    name: "unfinished: a file as a member is lost",
    file: "src/http/form/readForm.ts",
    snippet: "if (value instanceof UploadedFile)",
    replacement: "if (value === name)",
    tests: form
  }
]
