import { beginAgain } from "./commands/beginAgain.ts"
import { main, serves } from "./commands/main.ts"
import { readDocuments } from "./documents/command.ts"

if (process.argv[2] === readDocuments) await import("./documents/process.ts")

const args = process.argv.slice(2)
// Before everything else is loaded: the process may begin again here.
if (serves(args)) beginAgain()

await main(args)
