import type { Mutant } from "./Mutant.ts"

const tests = ["test/oauth/agentModels.test.ts", "test/catalogue/agentModels.test.ts"]

/** Models that Claude Code is told and that its person may not use. */
export const agentModelMutants: ReadonlyArray<Mutant> = [
  {
    name: "agent models: those of others are told",
    file: "src/oauth/opencode.ts",
    snippet: 'model.kind === "text" && forbidden(caller, model) === undefined',
    replacement: 'model.kind === "text"',
    tests
  },
  {
    name: "agent models: an oldest one is told",
    file: "src/catalogue/agentModels.ts",
    snippet: "compare(other, one)",
    replacement: "compare(one, other)",
    tests
  }
]
