import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { program } from "../e2e/program.ts"
import { startProvider } from "../people/startProvider.ts"
import { Visitor } from "../people/visitor.ts"
import { judged, order } from "./judged.ts"
import { commandOf, install, packageOf } from "./programs.ts"
import type { ProgramName } from "./programs.ts"
import { makeFolder, note, runProgram } from "./run.ts"
import type { Folder } from "./run.ts"
import { signedInTools } from "./signedInTools.ts"
import type { Way } from "./signedInTools.ts"
import { models, startWorld } from "./world.ts"
import type { World } from "./world.ts"

/*
 * Programs that use their person's sign-in in place of a key, as docs/agents.md has it: each in an empty home, with
 * `gateway` on the PATH, and a person at a provider of another site who approves the code.
 */

/** The environment of a home, with `gateway` as a command. */
const environment = ({ home }: Folder): Record<string, string> => {
  const bin = join(home, "bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, "gateway"),
    `#!/bin/sh\nexec ${program()
      .map((word) => `'${word}'`)
      .join(" ")} "$@"\n`
  )
  chmodSync(join(bin, "gateway"), 0o755)
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home }
}

/** Runs a command whose code is approved as soon as it is shown; its output, and its exit code. */
const approved = async (world: World, folder: Folder, command: ReadonlyArray<string>) => {
  const child = Bun.spawn([...command], {
    cwd: folder.work,
    env: environment(folder),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 120_000
  })
  let output = ""
  let visiting: Promise<void> | undefined
  const gather = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true })
      const [, code] = /user_code=([A-Z]{4}-[A-Z]{4})/.exec(output) ?? []
      if (code !== undefined) visiting ??= approve(world.gateway.url, code)
    }
  }
  await Promise.all([gather(child.stdout), gather(child.stderr)])
  await visiting
  return { code: await child.exited, output, wasShown: visiting !== undefined }
}

const approve = async (gateway: string, code: string): Promise<void> => {
  const ann = new Visitor()
  await ann.signIn(gateway, "ann")
  const answer = await ann.send(`${gateway}/console/devices/decide`, {
    method: "POST",
    headers: { "x-gateway-csrf": (await ann.session(gateway)).csrf },
    body: JSON.stringify({ code, approve: true, account: "default" })
  })
  if (answer.status !== 200) throw new Error(`the code was not approved: ${answer.status} ${await answer.text()}`)
}

const signIn = async (world: World, folder: Folder): Promise<string | undefined> => {
  const { code, output } = await approved(world, folder, ["gateway", "login", world.gateway.url])
  return code === 0 ? undefined : `gateway login ended with ${code}: ${output}`
}

/** The access token has expired, and its successor is still to be had. */
const expire = ({ home }: Folder): void => {
  const file = join(home, ".config/model-gateway/tokens.json")
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"20\d\d-[^"]*Z"/g, '"2020-01-01T00:00:00.000Z"'))
}

const codexConfig = (url: string) => `model = "at-chat"
model_provider = "gateway"

[model_providers.gateway]
name = "Model Gateway"
base_url = "${url}/v1"
wire_api = "responses"
auth = { command = "gateway", args = ["token"] }
`

const write = (path: string, text: string): void => {
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
}

const ways: ReadonlyArray<Way> = [
  {
    program: "codex",
    name: "its bearer by `gateway token`, fresh and refreshed, a tool loop",
    run: async (world, folder) => {
      const failed = await signIn(world, folder)
      if (failed !== undefined) return failed
      write(join(folder.home, ".codex/config.toml"), codexConfig(world.gateway.url))
      const args = ["exec", order("exec_command", { cmd: "cat note.txt" }), "--skip-git-repo-check"]
      for (const prepare of [() => {}, () => expire(folder)]) {
        prepare()
        const wrong = await loop(world, folder, "codex", args, note)
        if (wrong !== undefined) return wrong
      }
      return undefined
    }
  },
  {
    program: "claude",
    name: "its bearer by apiKeyHelper, a tool loop",
    run: async (world, folder) => {
      const failed = await signIn(world, folder)
      if (failed !== undefined) return failed
      write(join(folder.home, ".claude/settings.json"), JSON.stringify({ apiKeyHelper: "gateway token" }))
      const prompt = order("Bash", { command: "cat note.txt", description: "reads" })
      const env = { ANTHROPIC_BASE_URL: world.gateway.url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
      return loop(world, folder, "claude", ["-p", prompt, "--allowedTools", "Bash"], answer, env)
    }
  },
  {
    program: "opencode",
    name: "its own sign-in shows the code, and brings key and models: a tool loop without a configuration",
    run: async (world, folder) => {
      const url = world.gateway.url
      const login = await approved(world, folder, [...(await commandOf("opencode")), "auth", "login", url])
      if (login.code !== 0 || !login.wasShown) return `auth login ended with ${login.code}: ${login.output}`
      const prompt = order("bash", { command: "cat note.txt", description: "reads" })
      const env = { OPENCODE_DISABLE_MODELS_FETCH: "1" }
      for (const args of [["run", prompt], ...models.map((model) => ["run", "-m", `gateway/${model}`, prompt])]) {
        const wrong = await loop(world, folder, "opencode", args, answer, env)
        if (wrong !== undefined) return `${args.slice(1, 3).join(" ")}: ${wrong}`
      }
      return undefined
    }
  },
  ...signedInTools
]

const answer = `The tool answered: ${note}`

const loop = async (
  world: World,
  folder: Folder,
  name: ProgramName,
  args: ReadonlyArray<string>,
  expected: string,
  env: Readonly<Record<string, string>> = {}
) => {
  await world.answered()
  return judged(world, await runProgram(name, { folder, args, env: { ...environment(folder), ...env } }), expected)
}

/** What became of each program. */
export async function* runSignedIn(): AsyncGenerator<{ readonly name: string; readonly wrong: string | undefined }> {
  const provider = await startProvider()
  const settings: object = parse(readFileSync(join(provider.folder, "gateway.yaml"), "utf8"))
  const world = await startWorld({ settings, env: provider.env })
  try {
    for (const { name, program, run } of ways) {
      const folder = makeFolder()
      const what = `${packageOf(program)}, ${name}`
      try {
        await install(program)
        yield { name: what, wrong: await run(world, folder).catch(String) }
      } catch (error) {
        yield { name: what, wrong: `not installed: ${String(error)}` }
      } finally {
        folder.dispose()
      }
    }
  } finally {
    await world.dispose()
    await provider.stop()
  }
}
