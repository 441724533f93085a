import { join } from "node:path"
import type { AzureCall } from "./azure.ts"
import type { BedrockCall } from "./bedrock.ts"
import type { VertexCall } from "./vertexClaude.ts"

interface Calls {
  readonly azure: AzureCall
  readonly bedrock: BedrockCall
  readonly vertex: VertexCall
  readonly gemini: never
}

/** Azure, Bedrock, Claude at Vertex, or Gemini in a process of its own, as the provider's SDK and the gateway see them: over the wire alone. */
export const startCloud = async <Name extends keyof Calls>(name: Name) => {
  const main = join(import.meta.dirname, "cloudMain.ts")
  const child = Bun.spawn([process.execPath, main, name], { stdout: "pipe", stderr: "inherit" })
  const { value } = await child.stdout.getReader().read()
  const url = Buffer.from(value ?? [])
    .toString()
    .trim()
  return {
    url,
    /** The last call that was let in. */
    last: async (): Promise<Calls[Name]> => {
      const call = await (await fetch(`${url}/last`)).json()
      return { ...call, headers: new Headers(call.headers) }
    },
    stop: async () => {
      child.kill()
      await child.exited
    }
  }
}
