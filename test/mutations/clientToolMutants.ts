import type { Mutant } from "./Mutant.ts"

const tests = ["test/responses/clientTools.test.ts"]

/** Calls that a client would run although they are cut or unclear, and results that would be lost. */
export const clientToolMutants: ReadonlyArray<Mutant> = [
  {
    name: "client tools: the commands of a cut call are run",
    file: "src/responses/clientTools/shell.ts",
    snippet: 'state.status === "incomplete" ? [] : commandsIn(args)',
    replacement: 'state.status === "incomplete" ? ["rm"] : commandsIn(args)',
    tests
  },
  {
    name: "client tools: a cut patch is applied",
    file: "src/responses/clientTools/applyPatch.ts",
    snippet: 'state.status === "incomplete" || ',
    replacement: "",
    tests
  },
  {
    name: "client tools: an unclear patch deletes",
    file: "src/responses/clientTools/applyPatch.ts",
    snippet: 'if (type === "delete_file") return',
    replacement: 'if (type !== "create_file") return',
    tests
  },
  {
    name: "client tools: a container of OpenAI's is the caller's machine",
    file: "src/responses/clientTools/shell.ts",
    snippet: 'isHostedPlace(objectAt(entry, "environment"))\n      ? undefined',
    replacement: "isHostedPlace(undefined)\n      ? undefined",
    tests
  },
  {
    name: "client tools: a function of the caller's loses its name",
    file: "src/responses/clientTools/clientTools.ts",
    snippet: "isTaken(name) ?",
    replacement: "isTaken(`${name} `) ?",
    tests
  },
  {
    name: "client tools: a failed patch is told as done",
    file: "src/responses/clientTools/readItem.ts",
    snippet: 'const hasFailed = item.status === "failed"',
    replacement: "const hasFailed = false",
    tests
  }
]
