import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { read } from "../docs/documents.ts"
import { snippetsOf } from "../snippets/snippets.ts"
import type { Snippet } from "../snippets/snippets.ts"
import type { GatewayProcess } from "../e2e/process.ts"

/** A part of docs/agents.md that is done word for word. */
interface Part {
  readonly heading: string
  /** Where a block of another language than the shell's goes, from the home. */
  readonly files?: Readonly<Record<string, string>>
  /** What a program needs, and what it is asked behind the page's own lines. */
  readonly packages?: ReadonlyArray<string>
  readonly asks?: string
  /** How often the sandbox's answer is to be seen. */
  readonly answers: number
}

const hello = `"Hello there"`

const parts: ReadonlyArray<Part> = [
  { heading: "Claude Code", answers: 1 },
  { heading: "Codex", files: { toml: ".codex/config.toml" }, answers: 2 },
  { heading: "opencode", files: { json: "opencode.json" }, answers: 1 },
  { heading: "cline", answers: 1 },
  { heading: "qwen-code", answers: 1 },
  {
    heading: "OpenAI Agents",
    packages: ["@openai/agents@0.20.0", "openai@7.55.0"],
    asks: "console.log(finalOutput)",
    answers: 1
  },
  {
    heading: "LangChain",
    packages: ["@langchain/core@1.4.0", "@langchain/openai@1.6.0", "@langchain/anthropic@1.5.11"],
    asks: `for (const model of [chat, messages]) console.log((await model.invoke(${hello})).text)`,
    answers: 2
  },
  {
    heading: "AI SDK",
    packages: ["ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.105", "@ai-sdk/openai-compatible@3.0.92"],
    asks: `import { generateText } from "ai"
for (const model of [responses, messages, chat]) console.log((await generateText({ model, prompt: ${hello} })).text)`,
    answers: 3
  }
]

const limitMs = 300_000

/** Does what the page says in an empty home, with a gateway that has the sandbox and nothing else. */
const follow = async (
  part: Part,
  blocks: ReadonlyArray<Snippet>,
  gateway: GatewayProcess
): Promise<string | undefined> => {
  const home = mkdtempSync(join(tmpdir(), "gateway-written-"))
  const here = (text: string) => text.replaceAll("http://127.0.0.1:8080", gateway.url)
  const shell = async (script: string) => {
    const child = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
      cwd: home,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: limitMs,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, GATEWAY_KEY: gateway.key, npm_config_yes: "true" }
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, out, err }
  }
  try {
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const commands: Array<string> = []
    for (const { code, language } of blocks) {
      const path = part.files?.[language]
      if (language === "sh") commands.push(here(code))
      if (path !== undefined) {
        mkdirSync(dirname(join(home, path)), { recursive: true })
        writeFileSync(join(home, path), here(code))
      }
      if (language === "ts") {
        writeFileSync(join(home, "program.ts"), `${here(code)}\n${part.asks ?? ""}\n`)
        commands.push(
          `npm install --silent --no-audit --no-fund ${part.packages?.join(" ") ?? ""}\n'${process.execPath}' program.ts`
        )
      }
    }
    const { code, err, out } = await shell(commands.join("\n"))
    const seen = out.split("You said").length - 1
    if (code === 0 && seen >= part.answers) return undefined
    return `ended with ${code}, ${seen} of ${part.answers} answers:\n${out.slice(-500)}\n${err.slice(-500)}`
  } finally {
    if (existsSync(home)) rmSync(home, { recursive: true, force: true })
  }
}

/** What became of each part of the page. */
export async function* runWritten(
  gateway: GatewayProcess
): AsyncGenerator<{ readonly name: string; readonly wrong: string | undefined }> {
  const snippets = snippetsOf("docs/agents.md", await read("docs/agents.md"))
  for (const part of parts) {
    const blocks = snippets.filter(({ heading }) => heading === part.heading)
    yield {
      name: part.heading,
      wrong: blocks.length === 0 ? "is not on the page" : await follow(part, blocks, gateway)
    }
  }
}
