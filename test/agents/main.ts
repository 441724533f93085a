import { startGateway } from "../e2e/process.ts"
import { runWritten } from "./asWritten.ts"
import type { ProgramName } from "./programs.ts"
import { install, packageOf, programNames } from "./programs.ts"
import { isLibrary, libraries, runLibrary, startChatWorld } from "./python.ts"
import { scenarios } from "./scenarios.ts"
import { runSignedIn } from "./signedIn.ts"
import { startWorld } from "./world.ts"

/*
 * Third-party programs, in pinned versions, each in an empty home and folder against a gateway and fake
 * upstreams. Arguments name the programs; none is all, `python` those libraries of PyPI that speak chat completions, and
 * `written` is what docs/agents.md says, word for word; `signed-in` are those that use a person's sign-in in place of a key.
 * Needs npm, python3 and the network for the installation, and nothing but this machine after it.
 */
const wanted = process.argv.slice(2).flatMap((name) => (name === "python" ? libraries : [name]))
const run = new Set<string>([...scenarios.map(({ program }) => program), ...libraries])
const names = programNames.filter((name) => run.has(name) && (wanted.length === 0 || wanted.includes(name)))
const isWritten = wanted.length === 0 || wanted.includes("written")

const isSignedIn = wanted.length === 0 || wanted.includes("signed-in")

let passed = 0
let failed = 0
const tell = (program: ProgramName, name: string, wrong: string | undefined) => told(packageOf(program), name, wrong)
const told = (what: string, name: string, wrong: string | undefined) => {
  if (wrong === undefined) passed++
  else failed++
  const line = `${what}: ${name}`
  console.log(
    wrong === undefined ? `ok      ${line}` : `not ok  ${line}\n        ${wrong.replaceAll("\n", "\n        ")}`
  )
}

const failures = new Map<ProgramName, string>()
for (const name of names) {
  try {
    await install(name)
  } catch (error) {
    failures.set(name, `not installed: ${String(error)}`)
  }
}

const agents = scenarios.filter(({ program }) => names.includes(program))
if (agents.length > 0) {
  const world = await startWorld()
  try {
    for (const { name, program, run } of agents) {
      tell(program, name, failures.get(program) ?? (await run(world).catch(String)))
    }
  } finally {
    await world.dispose()
  }
}

const chosen = names.filter(isLibrary)
if (chosen.length > 0) {
  const world = await startChatWorld()
  try {
    for (const library of chosen) {
      const failure = failures.get(library)
      if (failure !== undefined) tell(library, "all scenarios", failure)
      else for await (const { name, wrong } of runLibrary(library, world)) tell(library, name, wrong)
    }
  } finally {
    await world.dispose()
  }
}
if (isWritten) {
  const gateway = await startGateway()
  try {
    for await (const { name, wrong } of runWritten(gateway)) told("docs/agents.md", name, wrong)
  } finally {
    await gateway.dispose()
  }
}
if (isSignedIn) for await (const { name, wrong } of runSignedIn()) told("signed in", name, wrong)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
