import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** The programs that can be run unattended, each in the version that it was tried with. */
const programs = {
  claude: { npm: "@anthropic-ai/claude-code@2.1.332", command: ["node_modules/.bin/claude"] },
  codex: { npm: "@openai/codex@0.171.0", command: ["node_modules/.bin/codex"] },
  opencode: { npm: "opencode-ai@1.18.33", command: ["node_modules/.bin/opencode"] },
  "tool-runner-js": { npm: "@anthropic-ai/sdk@1.14.0", command: [process.execPath, "toolRunner.mjs"] },
  "tool-runner-python": { pip: "anthropic==2.12.0", command: ["venv/bin/python", "tool_runner.py"] },
  copilot: { npm: "@github/copilot@1.0.102", command: ["node_modules/.bin/copilot"] },
  "anthropic-loop": { npm: "@anthropic-ai/sdk@1.14.0", command: [process.execPath, "loops/anthropic.mjs"] },
  "openai-loop": { npm: "openai@7.59.0", command: [process.execPath, "loops/openai.mjs"] },
  "openai-python-loop": { pip: "openai==3.57.0", command: ["venv/bin/python", "loops/openai_loop.py"] },
  "anthropic-python-loop": { pip: "anthropic==2.14.0", command: ["venv/bin/python", "loops/anthropic_loop.py"] },
  "ai-loop": {
    npm: "ai@7.0.173 @ai-sdk/anthropic@4.0.105 @ai-sdk/openai@4.0.118 @ai-sdk/openai-compatible@3.0.92 zod@4.6.7",
    command: [process.execPath, "loops/ai.mjs"]
  },
  "langchain-loop": {
    npm: "langchain@1.5.14 @langchain/core@1.4.0 @langchain/openai@1.6.0 @langchain/anthropic@1.5.11 zod@4.6.7",
    command: [process.execPath, "loops/langchain.mjs"]
  },
  cn: { npm: "@continuedev/cli@1.5.47", command: ["node_modules/.bin/cn"] },
  // Needs Node 22 or Bun.
  pi: {
    npm: "@earendil-works/pi-coding-agent@1.6.0",
    command: [process.execPath, "--bun", "node_modules/.bin/pi"]
  },
  mastra: { npm: "@mastra/core@1.71.0 zod@4.6.7", command: [process.execPath, "mastraAgent.mjs"] },
  aider: { pip: "aider-chat==0.86.2", command: ["venv/bin/python", "-m", "aider"] },
  llm: { pip: "llm==0.36", command: ["venv/bin/python", "-m", "llm"] },
  "llama-index": {
    pip: "llama-index-core==0.14.25 llama-index-llms-openai-like==0.8.1",
    command: ["venv/bin/python", "llama_index_agent.py"]
  },
  autogen: {
    pip: "autogen-agentchat==0.7.5 autogen-ext[openai]==0.7.5",
    command: ["venv/bin/python", "autogen_agent.py"]
  },
  crewai: { pip: "crewai==1.15.30", command: ["venv/bin/python", "crewai_agent.py"] },
  haystack: { pip: "haystack-ai==3.4.1", command: ["venv/bin/python", "haystack_agent.py"] },
  openai: { pip: "openai==3.54.0", command: ["venv/bin/python", "chat/with_openai.py"] },
  instructor: { pip: "instructor==1.17.0", command: ["venv/bin/python", "chat/with_instructor.py"] },
  "pydantic-ai": { pip: "pydantic-ai-slim[openai]==2.68.0", command: ["venv/bin/python", "chat/with_pydantic_ai.py"] },
  litellm: { pip: "litellm==1.108.7 mcp==2.3.0", command: ["venv/bin/python", "chat/with_litellm.py"] }
} as const
export type ProgramName = keyof typeof programs
export const programNames = Object.keys(programs) as ReadonlyArray<ProgramName>

/** What it is called with its version: `@openai/codex@0.171.0`. */
export const packageOf = (name: ProgramName): string => {
  const program = programs[name]
  return "npm" in program ? program.npm : program.pip
}

const root = resolve(import.meta.dirname, "../..")
const cache = join(root, "node_modules", ".cache", "agents")

const folderOf = (name: ProgramName) => join(cache, packageOf(name).replaceAll(/[/ ]/g, "-"))

/** Installs it into the cache unless it is there: whole, or not at all. */
export const install = async (name: ProgramName): Promise<void> => {
  const folder = folderOf(name)
  if (existsSync(folder)) return
  mkdirSync(cache, { recursive: true })
  const making = mkdtempSync(join(cache, "making-"))
  const program = programs[name]
  if ("npm" in program) {
    writeFileSync(join(making, "package.json"), JSON.stringify({ private: true, type: "module" }))
    await must(making, "npm", "install", "--no-audit", "--no-fund", "--silent", ...program.npm.split(" "))
  } else {
    await must(making, "python3", "-m", "venv", "--copies", "venv")
    await must(making, "venv/bin/python", "-m", "pip", "install", "--quiet", ...program.pip.split(" "))
  }
  renameSync(making, folder)
}

const must = async (cwd: string, ...command: ReadonlyArray<string>): Promise<void> => {
  const child = Bun.spawn([...command], { cwd, stdout: "ignore", stderr: "pipe" })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${said.trim().slice(-400)}`)
}

/** How it is started, from anywhere. Scripts of ours for JavaScript are put beside the library that they import. */
export const commandOf = async (name: ProgramName): Promise<ReadonlyArray<string>> => {
  const folder = folderOf(name)
  return Promise.all(
    programs[name].command.map(async (word) => {
      const script = join(import.meta.dirname, "programs", word)
      if (word.endsWith(".py")) return script
      if (existsSync(script)) {
        await Bun.write(join(folder, word), Bun.file(script))
        return join(folder, word)
      }
      return dirname(word) === "." || word === process.execPath ? word : join(folder, word)
    })
  )
}
