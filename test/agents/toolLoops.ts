import { inFolder, judged, order } from "./judged.ts"
import type { Scenario } from "./judged.ts"
import type { ProgramName } from "./programs.ts"
import { runProgram } from "./run.ts"
import { models } from "./world.ts"
import type { World } from "./world.ts"

/** A program that calls a tool and goes on with its result, as it is set up by default. */
interface ToolLoop {
  readonly program: ProgramName
  /** Its configuration files. */
  readonly files?: (gateway: Pick<World["gateway"], "key" | "url">, model: string) => Readonly<Record<string, string>>
  readonly args: (model: string, prompt: string) => ReadonlyArray<string>
  readonly env: (world: World, model: string) => Readonly<Record<string, string>>
  readonly prompt: string
  readonly expected: string
}

const readNote = order("read_note", { number: 4 })
const says = "The tool answered: the note 4 says 4711"
const fileSays = "The tool answered: the note says 4711"

/** The variables of OpenAI's clients. */
const openai = ({ gateway }: World) => ({ OPENAI_BASE_URL: `${gateway.url}/v1`, OPENAI_API_KEY: gateway.key })

/** A script of ours with a model and a prompt. */
const script = (program: ProgramName, expected = says): ToolLoop => ({
  program,
  args: (model, prompt) => [model, prompt],
  env: openai,
  prompt: readNote,
  expected
})

const loops: ReadonlyArray<ToolLoop> = [
  {
    program: "copilot",
    args: (_, prompt) => ["-p", prompt, "--allow-all-tools"],
    env: ({ gateway }, model) => ({
      COPILOT_PROVIDER_BASE_URL: `${gateway.url}/v1`,
      COPILOT_PROVIDER_API_KEY: gateway.key,
      COPILOT_MODEL: model
    }),
    prompt: order("bash", { command: "cat note.txt", description: "reads" }),
    expected: fileSays
  },
  {
    program: "cn",
    files: ({ url }, model) => ({
      "home/.continue/config.yaml": `name: gateway
version: 1.0.0
schema: v1
models:
  - name: gateway
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: \${{ secrets.GATEWAY_KEY }}
    capabilities: [tool_use]
`
    }),
    args: (_, prompt) => ["--config", "../home/.continue/config.yaml", "-p", prompt, "--auto"],
    env: ({ gateway }) => ({ GATEWAY_KEY: gateway.key }),
    prompt: order("Bash", { command: "cat note.txt" }),
    expected: fileSays
  },
  {
    program: "pi",
    files: ({ url }, model) => ({
      "home/.pi/agent/models.json": JSON.stringify({
        providers: {
          gateway: { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "$GATEWAY_KEY", models: [{ id: model }] }
        }
      })
    }),
    args: (model, prompt) => ["--provider", "gateway", "--model", model, "-p", prompt],
    env: ({ gateway }) => ({ GATEWAY_KEY: gateway.key }),
    prompt: order("bash", { command: "cat note.txt" }),
    expected: fileSays
  },
  {
    program: "aider",
    args: (model, prompt) => [
      "--model",
      `openai/${model}`,
      "--message",
      prompt,
      "--no-git",
      "--yes-always",
      "--no-check-update"
    ],
    env: ({ gateway }) => ({ OPENAI_API_BASE: `${gateway.url}/v1`, OPENAI_API_KEY: gateway.key }),
    // It has no tools: it reads edits out of the text.
    prompt: "Hello there",
    expected: "You said: "
  },
  {
    program: "llm",
    files: ({ key, url }, model) => ({
      "home/.config/io.datasette.llm/keys.json": JSON.stringify({ gateway: key }),
      "home/.config/io.datasette.llm/extra-openai-models.yaml": `- model_id: gateway
  model_name: ${model}
  api_base: ${url}/v1
  api_key_name: gateway
  supports_tools: true
`,
      "work/tools.py": `def read_note(number: int) -> str:
    "Reads a note"
    return f"the note {number} says 4711"
`
    }),
    args: (_, prompt) => ["-m", "gateway", "--functions", "tools.py", prompt],
    env: () => ({}),
    prompt: readNote,
    expected: says
  },
  script("mastra", 'The tool answered: {"note":"the note says 4711"}\nend of the stream'),
  script("llama-index"),
  script("autogen"),
  script("crewai"),
  script("haystack")
]

export const toolLoops: ReadonlyArray<Scenario> = loops.flatMap(({ args, env, expected, files, program, prompt }) =>
  models.map((model): Scenario => ({
    program,
    name: `${model}, a tool loop`,
    run: (world) =>
      inFolder({ ...files?.(world.gateway, model) }, async (folder) => {
        const ran = await runProgram(program, { folder, args: args(model, prompt), env: env(world, model) })
        return judged(world, ran, expected)
      })
  }))
)
