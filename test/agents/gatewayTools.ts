import { inFolder, judged, order } from "./judged.ts"
import type { Scenario } from "./judged.ts"
import { note, runProgram } from "./run.ts"

const echo = (server: string) => order(`mcp__gateway__${server}__echo`, { text: note })

/** Programs that use the gateway's own tools, added as docs/tools.md says. */
export const gatewayTools: ReadonlyArray<Scenario> = [
  {
    program: "claude",
    name: "a tool of the gateway",
    run: (world) =>
      inFolder({}, async (folder) => {
        const { key, url } = world.gateway
        const env = {
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_AUTH_TOKEN: key,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          ENABLE_TOOL_SEARCH: "false"
        }
        const header = ["--header", `Authorization: Bearer ${key}`]
        const add = ["mcp", "add", "--transport", "http", "gateway", `${url}/mcp`, ...header]
        await runProgram("claude", { folder, args: add, env })
        const args = ["-p", echo("sandbox-tools"), "--allowedTools", "mcp__gateway"]
        return judged(world, await runProgram("claude", { folder, args, env }), note)
      })
  },
  {
    program: "codex",
    name: "a tool of the gateway",
    run: (world) => {
      const { key, url } = world.gateway
      const env = { GATEWAY_KEY: key }
      const config = `model = "at-chat"
model_provider = "gateway"

[model_providers.gateway]
name = "Model Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`
      return inFolder({ "home/.codex/config.toml": config }, async (folder) => {
        const add = ["mcp", "add", "gateway", "--url", `${url}/mcp`, "--bearer-token-env-var", "GATEWAY_KEY"]
        await runProgram("codex", { folder, args: add, env })
        // It writes dashes as underscores.
        const args = ["exec", "--skip-git-repo-check", echo("sandbox_tools")]
        return judged(world, await runProgram("codex", { folder, args, env }), `The tool answered: `)
      })
    }
  }
]
