import { reexec } from "./commands/reexec.ts"
import { main, serves } from "./commands/main.ts"
import { readDocuments } from "./documents/command.ts"

if (process.argv[2] === readDocuments) await import("./documents/process.ts")

const args = process.argv.slice(2)
// Before anything else is loaded: the process may be replaced here.
if (serves(args)) reexec()

await main(args)
