import { sandboxAddress } from "../config/sections/Mcp.ts"
import type { McpEntry } from "../config/sections/Mcp.ts"

/** The name of the built-in server, where the configuration names none. */
const sandboxServer = "sandbox-tools"

type Entries = Readonly<Record<string, McpEntry>>

/** The servers of the configuration by name: the built-in one, if it names none. */
export const serverEntries = (written: Entries | undefined): Entries =>
  written ?? { [sandboxServer]: { url: sandboxAddress } }
