import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Visitor } from "../people/visitor.ts"
import { judged, order } from "./judged.ts"
import { startInTerminal } from "./login/terminal.ts"
import { commandOf } from "./programs.ts"
import type { ProgramName } from "./programs.ts"
import { note, runProgram } from "./run.ts"
import type { Folder } from "./run.ts"
import type { World } from "./world.ts"

/*
 * Programs that sign in for `/mcp` by a code: they are told its address alone, and open a browser. Models they use by a key,
 * as they would elsewhere.
 */

/** A home whose browser notes the address that it is opened at. */
const environment = ({ home }: Folder, key: string): Record<string, string> => {
  const bin = join(home, "bin")
  mkdirSync(bin, { recursive: true })
  const browser = join(bin, "xdg-open")
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${join(home, "opened")}\n`)
  chmodSync(browser, 0o755)
  const nowhere = "http://127.0.0.1:9"
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    BROWSER: browser,
    GATEWAY_KEY: key,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost"
  }
}

/** Does in the browser what a person does there, to the program's own page. */
const letIn = async (gateway: string, { home }: Folder, person: string): Promise<void> => {
  const noted = join(home, "opened")
  const limit = Date.now() + 60_000
  while (!existsSync(noted) || readFileSync(noted, "utf8") === "") {
    if (Date.now() > limit) throw new Error("no browser was opened")
    await Bun.sleep(200)
  }
  const address = readFileSync(noted, "utf8")
  writeFileSync(noted, "")
  const visitor = new Visitor()
  const asked = await visitor.send(address)
  const request = new URL(asked.headers.get("location") ?? "", gateway).searchParams.get("request")
  if (request === null) throw new Error(`${address}: ${asked.status} ${await asked.text()}`)
  await visitor.signIn(gateway, person)
  const decided = await visitor.send(`${gateway}/console/authorizations/decide`, {
    method: "POST",
    headers: { "x-gateway-csrf": (await visitor.session(gateway)).csrf },
    body: JSON.stringify({ request, approve: true, account: "default" })
  })
  const { location } = await decided.json()
  const answered = await fetch(location)
  if (!answered.ok) throw new Error(`${location}: ${answered.status} ${await answered.text()}`)
}

/** A program's command in a terminal, whose browser is answered. */
const signIn = async (world: World, folder: Folder, env: Record<string, string>, command: ReadonlyArray<string>) => {
  const terminal = startInTerminal(command, { cwd: folder.work, env })
  const limit = setTimeout(() => void terminal.stop(), 120_000)
  try {
    await letIn(world.gateway.url.replace(/\/$/, ""), folder, "ann")
    const code = await terminal.exited
    return code === 0 ? undefined : `ended with ${code}: ${terminal.screen()}`
  } catch (error) {
    return `${String(error)}: ${terminal.screen()}`
  } finally {
    clearTimeout(limit)
    await terminal.stop()
  }
}

/** A program, and how its person signs in. */
export interface Way {
  readonly program: ProgramName
  readonly name: string
  readonly run: (world: World, folder: Folder) => Promise<string | undefined>
}

const echo = (server: string) => order(`mcp__gateway__${server}__echo`, { text: note })

export const signedInTools: ReadonlyArray<Way> = [
  {
    program: "claude",
    name: "a tool of the gateway, after a sign-in by a code",
    run: async (world, folder) => {
      const { key, url } = world.gateway
      const env = {
        ...environment(folder, key),
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ENABLE_TOOL_SEARCH: "false"
      }
      await runProgram("claude", { folder, args: ["mcp", "add", "--transport", "http", "gateway", `${url}/mcp`], env })
      const command = [...(await commandOf("claude")), "mcp", "login", "gateway"]
      const failed = await signIn(world, folder, env, command)
      if (failed !== undefined) return failed
      await world.answered()
      const args = ["-p", echo("sandbox-tools"), "--allowedTools", "mcp__gateway"]
      return judged(world, await runProgram("claude", { folder, args, env }), note)
    }
  },
  {
    program: "codex",
    name: "a tool of the gateway, after a sign-in by a code",
    run: async (world, folder) => {
      const { key, url } = world.gateway
      const env = environment(folder, key)
      const config = `model = "at-chat"
model_provider = "gateway"
mcp_oauth_credentials_store = "file"

[model_providers.gateway]
name = "Model Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`
      mkdirSync(join(folder.home, ".codex"), { recursive: true })
      writeFileSync(join(folder.home, ".codex/config.toml"), config)
      const add = [...(await commandOf("codex")), "mcp", "add", "gateway", "--url", `${url}/mcp`]
      const failed = await signIn(world, folder, env, add)
      if (failed !== undefined) return failed
      await world.answered()
      const args = ["exec", "--skip-git-repo-check", echo("sandbox_tools")]
      return judged(world, await runProgram("codex", { folder, args, env }), "The tool answered: ")
    }
  }
]
