import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commandOf } from "../programs.ts"
import { note } from "../run.ts"
import type { Terminal } from "./terminal.ts"
import { startInTerminal } from "./terminal.ts"

/** What the client keeps of a sign-in. */
interface Kept {
  readonly jwt: string
  readonly expiresAt: number
  readonly idpRefreshToken?: string
}

/** A developer's machine: a home whose settings name the gateway, and a folder to work in. */
export interface Machine {
  readonly home: string
  readonly work: string
  readonly kept: () => Kept | undefined
  /** The client takes its access token to end so soon. */
  readonly endIn: (ms: number) => void
  /** As if it had signed in. */
  readonly keep: (credentials: object) => void
  /** As if it had been started before, in this folder. */
  readonly wasStarted: () => void
  readonly dispose: () => void
}

export const makeMachine = (gateway: string): Machine => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-login-"))
  const [home, work] = [join(folder, "home"), join(folder, "work")]
  for (const one of [join(home, ".claude"), work]) mkdirSync(one, { recursive: true })
  writeFileSync(join(work, "note.txt"), `${note}\n`)
  const settings = { forceLoginMethod: "gateway", forceLoginGatewayUrl: gateway }
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings))
  const file = join(home, ".claude", ".credentials.json")
  const read = () => JSON.parse(readFileSync(file, "utf8"))
  return {
    home,
    work,
    kept: () => {
      try {
        return read().enterpriseGateway
      } catch {
        return undefined
      }
    },
    endIn: (ms) => {
      const credentials = read()
      credentials.enterpriseGateway.expiresAt = Date.now() + ms
      writeFileSync(file, JSON.stringify(credentials))
    },
    keep: (credentials) => writeFileSync(file, JSON.stringify(credentials)),
    wasStarted: () => {
      const projects = { [work]: { hasTrustDialogAccepted: true } }
      writeFileSync(join(home, ".claude.json"), JSON.stringify({ hasCompletedOnboarding: true, projects }))
    },
    dispose: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** A window with the client in it. It reaches this machine alone, as far as it honours a proxy. */
export const openWindow = async (
  { home, work }: Machine,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Terminal> => {
  const nowhere = "http://127.0.0.1:9"
  return startInTerminal([...(await commandOf("claude")), ...args], {
    cwd: work,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: "127.0.0.1,localhost",
      ...env
    }
  })
}

export const ready = "auto mode on"

/** The screens of a first start, up to the code. */
export const readCode = async (window: Terminal): Promise<string> => {
  await window.until("Choose the text style")
  await window.press("enter")
  await window.until("Enter to connect")
  await window.press("enter")
  await choose(window, "Yes, trust this gateway")
  return codeOf(await window.until(code))
}

const code = /Code:\s+([B-Z]{4}-[B-Z]{4})/
const codeOf = (screen: string) => code.exec(screen)?.[1] ?? ""

/**
 * The screens after it, to the prompt.
 *
 * @param email whom the client asks about, if the gateway tells it
 */
export const toPrompt = async (window: Terminal, email: string | undefined): Promise<void> => {
  if (email !== undefined) {
    await window.until(`as ${email}`)
    await choose(window, "Yes, continue")
  }
  await window.until("Connected to")
  await window.press("enter")
  await window.until("Security notes")
  await window.press("enter")
  await choose(window, "Yes, I trust this folder")
  await window.until(ready)
}

/** Says something and waits for an answer. */
export const say = async (window: Terminal, text: string, answer: string | RegExp = `You said: ${text}`) => {
  const begin = text.slice(0, 20)
  const isTyped = () =>
    window
      .screen()
      .split("\n")
      .findLast((row) => row.startsWith("❯"))
      ?.includes(begin) === true
  await window.press(text)
  await window.until(begin)
  // Under load it takes keys that follow each other for a paste, with the line's end in it.
  for (let tries = 0; tries < 5 && isTyped(); tries++) {
    await window.press("enter")
    await Bun.sleep(500)
  }
  return window.until(answer)
}

/** Moves the mark to a choice and takes it. A screen may take no keys yet when it is first drawn. */
const choose = async (window: Terminal, label: string): Promise<void> => {
  await window.until(label)
  for (let tries = 0; !window.screen().includes(`❯ ${label}`); tries++) {
    if (tries === 20) throw new Error(`"${label}" can't be chosen:\n${window.screen()}`)
    await window.press("down")
    await Bun.sleep(250)
  }
  await window.press("enter")
}
