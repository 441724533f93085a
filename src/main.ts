import { raiseFetchLimit } from "./commands/raiseFetchLimit.ts"

// Before everything else is loaded: the process may begin again here.
raiseFetchLimit()

const { main } = await import("./commands/main.ts")
main(process.argv)
