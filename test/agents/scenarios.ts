import { join } from "node:path"
import { gatewayTools } from "./gatewayTools.ts"
import { inFolder, judged, order } from "./judged.ts"
import type { Scenario } from "./judged.ts"
import type { Folder, Ran } from "./run.ts"
import { note, runProgram } from "./run.ts"
import { toolLoops } from "./toolLoops.ts"
import type { World } from "./world.ts"
import { models, translating } from "./world.ts"

const claude = (world: World, folder: Folder, args: ReadonlyArray<string>, { key, url } = world.gateway) =>
  runProgram("claude", {
    folder,
    args: ["-p", ...args],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
    }
  })

const bash = order("Bash", { command: "cat note.txt", description: "reads" })
const answer = `The tool answered: ${note}`

const wrongKey = "gw_wrong_key_0123456789abcdef"

/** A program that was given a wrong key ends by itself after it was refused so often at most. */
const refused = async (
  world: World,
  running: Promise<Ran>,
  most = 1
): Promise<Ran & { readonly wrong: string | undefined }> => {
  const ran = await running
  const statuses = await world.answered()
  const wrongs = [
    ...(statuses.length > 0 && statuses.length <= most && statuses.every((status) => status === 401)
      ? []
      : [`was answered ${statuses.join()}`]),
    ...(ran.code === 0 ? ["ended well"] : []),
    ...(ran.code === -1 ? ["did not end by itself"] : [])
  ]
  return { ...ran, wrong: wrongs.length === 0 ? undefined : wrongs.join(", ") }
}

const claudeScenarios: ReadonlyArray<Scenario> = [
  {
    program: "claude",
    name: "its default model, a tool loop",
    run: (world) =>
      inFolder({}, async (folder) =>
        judged(world, await claude(world, folder, [bash, "--allowedTools", "Bash"]), answer)
      )
  },
  {
    program: "claude",
    name: "its default model, with /v1 in its address",
    run: (world) =>
      inFolder({}, async (folder) => {
        const { gateway } = world
        const ran = await claude(world, folder, ["Hello"], { ...gateway, url: `${gateway.url}/v1` })
        return judged(world, ran, "You said: ")
      })
  },
  ...[...models, "at-bedrock", "at-gemini"].map((model): Scenario => ({
    program: "claude",
    name: `${model}, a tool loop with partial messages`,
    run: (world) =>
      inFolder({}, async (folder) => {
        const format = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"]
        const ran = await claude(world, folder, [bash, "--model", model, "--allowedTools", "Bash", ...format])
        return (await judged(world, ran, '"type":"text_delta","text":"answered: "')) ?? judgedAgain(ran, answer)
      })
  })),
  ...models.map((model): Scenario => ({
    program: "claude",
    name: `${model}, a tool that is searched for`,
    run: (world) =>
      inFolder({}, async (folder) => {
        const search = order("ToolSearch", { query: "select:CronList", max_results: 1 })
        const prompt = `${search} and ${order("CronList", {})}`
        return judged(world, await claude(world, folder, [prompt, "--model", model]), "The tool answered: ")
      })
  })),
  {
    program: "claude",
    name: "a wrong key ends it, after one refusal",
    run: (world) =>
      inFolder({}, async (folder) => {
        const running = claude(world, folder, ["Hello"], { ...world.gateway, key: wrongKey })
        const { output, wrong } = await refused(world, running)
        return wrong ?? (output.includes("Invalid API key") ? undefined : `said ${output.slice(-300)}`)
      })
  }
]

const judgedAgain = ({ output }: Ran, expected: string) =>
  output.includes(expected) ? undefined : `did not say ${JSON.stringify(expected)}: ${output.slice(-300)}`

/**
 * It repeats any refusal, for six seconds unless it is told to do so less often.
 *
 * @param model undefined leaves it to its default
 */
const codexConfig = (url: string, model: string | undefined) => `${model === undefined ? "" : `model = "${model}"`}
model_provider = "gateway"

[model_providers.gateway]
name = "Model Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
stream_max_retries = 2

[mcp_servers.notes]
command = "${process.execPath}"
args = ["${join(import.meta.dirname, "programs", "notes.mjs")}"]
`

type Codex = (...args: ReadonlyArray<string>) => Promise<Ran>

const withCodex = <A>(world: World, model: string | undefined, key: string, use: (codex: Codex) => Promise<A>) =>
  inFolder({ "home/.codex/config.toml": codexConfig(world.gateway.url, model) }, (folder) =>
    use((...args) =>
      runProgram("codex", { folder, args: ["exec", ...args, "--skip-git-repo-check"], env: { GATEWAY_KEY: key } })
    )
  )

const codexLoops = [...models, "at-azure", "at-gemini"].map((model): Scenario => ({
  program: "codex",
  name: `${model}, a tool loop, and resumed`,
  run: (world) =>
    withCodex(world, model, world.gateway.key, async (codex) => {
      const first = await codex(order("exec_command", { cmd: "cat note.txt" }))
      const wrong = await judged(world, first, note)
      return wrong ?? judged(world, await codex("resume", "--last", "And hello again"), "You said: And hello again")
    })
}))

const cat = "text((await tools.exec_command({cmd: 'cat note.txt'})).output)"
const noteNumber = "text((await tools.mcp__notes__read_note({number: 4})).content[0].text)"

/** Its newest models have one tool, which runs code that calls all others. */
const codexByCode = [undefined, ...translating.map((upstream) => `gpt-6.2-sol-at-${upstream}`)].map(
  (model): Scenario => ({
    program: "codex",
    name: `${model ?? "its default model"}, a tool loop with an MCP server`,
    run: (world) =>
      withCodex(world, model, world.gateway.key, async (codex) => {
        const orders = [cat, noteNumber].map((input) => order("functions__exec", { input }))
        const ran = await codex(orders.join(" and "))
        const wrong = await judged(world, ran, `"number":4`)
        return wrong ?? judgedAgain(ran, "The tool answered: ")
      })
  })
)

const codexSearches = translating.map((upstream): Scenario => ({
  program: "codex",
  name: `gpt-5.5-at-${upstream}, an MCP server's tool that is searched for`,
  run: (world) =>
    withCodex(world, `gpt-5.5-at-${upstream}`, world.gateway.key, async (codex) => {
      const search = order("tool_search", { query: "note", limit: 3 })
      const ran = await codex(`${search} and ${order("mcp__notes__read_note", { number: 4 })}`)
      return judged(world, ran, 'the note of {"number":4} says 4711')
    })
}))

/** Its own provider, with the key of its own sign-in and another address. */
const codexSignedIn = models.map((model): Scenario => ({
  program: "codex",
  name: `${model}, by its own sign-in, a tool loop`,
  run: (world) => {
    const { key, url } = world.gateway
    const files = {
      "home/.codex/config.toml": `openai_base_url = "${url}/v1"\nmodel = "${model}"\n`,
      "home/.codex/auth.json": JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: key })
    }
    return inFolder(files, async (folder) => {
      const args = ["exec", order("exec_command", { cmd: "cat note.txt" }), "--skip-git-repo-check"]
      return judged(world, await runProgram("codex", { folder, args, env: {} }), note)
    })
  }
}))

const codexScenarios: ReadonlyArray<Scenario> = [
  ...codexSignedIn,
  ...codexLoops,
  ...codexByCode,
  ...codexSearches,
  {
    program: "codex",
    name: "a wrong key ends it, after three refusals at most",
    run: (world) =>
      withCodex(world, "at-chat", wrongKey, async (codex) => (await refused(world, codex("Hello"), 3)).wrong)
  }
]

const opencodeConfig = (url: string, model: string, npm: string) =>
  JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: `gateway/${model}`,
    small_model: `gateway/${model}`,
    provider: {
      gateway: { npm, options: { baseURL: `${url}/v1`, apiKey: "{env:GATEWAY_KEY}" }, models: { [model]: {} } }
    }
  })

const opencodeScenarios = ["@ai-sdk/openai-compatible", "@ai-sdk/openai", "@ai-sdk/anthropic"].flatMap((npm) =>
  models.map((model): Scenario => ({
    program: "opencode",
    name: `${model} by ${npm}, a tool loop`,
    run: (world) =>
      inFolder({ "work/opencode.json": opencodeConfig(world.gateway.url, model, npm) }, async (folder) => {
        const prompt = order("bash", { command: "cat note.txt", description: "reads" })
        const env = { GATEWAY_KEY: world.gateway.key, OPENCODE_DISABLE_MODELS_FETCH: "1" }
        return judged(world, await runProgram("opencode", { folder, args: ["run", prompt], env }), answer)
      })
  }))
)

const toolRunnerScenarios = (["tool-runner-js", "tool-runner-python"] as const).flatMap((program) =>
  [...models, "sandbox-text"].flatMap((model) =>
    (program === "tool-runner-js" ? [[], ["stream"]] : [[]]).map((how): Scenario => ({
      program,
      name: [`${model}, two calls in a thread`, ...how].join(", "),
      run: (world) =>
        inFolder({}, async (folder) => {
          const calls = ["Oslo", "Rome"].map((city) => order("get_weather", { city })).join(" and ")
          const prompt = model === "sandbox-text" ? "What is the weather in Rome?" : calls
          const env = { ANTHROPIC_BASE_URL: world.gateway.url, ANTHROPIC_API_KEY: world.gateway.key }
          return judged(
            world,
            await runProgram(program, { folder, args: [model, prompt, ...how], env }),
            "18 degrees in Rome"
          )
        })
    }))
  )
)

export const scenarios: ReadonlyArray<Scenario> = [
  ...claudeScenarios,
  ...codexScenarios,
  ...opencodeScenarios,
  ...toolRunnerScenarios,
  ...toolLoops,
  ...gatewayTools
]
