import { raiseFetchLimit } from "./commands/raiseFetchLimit.ts"
import { readDocuments } from "./documents/command.ts"

if (process.argv[2] === readDocuments) await import("./documents/process.ts")

// Before everything else is loaded: the process may begin again here.
raiseFetchLimit()

const { main } = await import("./commands/main.ts")
main(process.argv)
