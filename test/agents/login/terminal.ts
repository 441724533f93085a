import { Screen } from "./screen.ts"

export interface Terminal {
  readonly screen: () => string
  /** Waits until the screen shows it. */
  readonly until: (shown: string | RegExp, limitMs?: number) => Promise<string>
  /** Keys by their names (`enter`, `up`, `down`, `escape`), or text. */
  readonly press: (...pressed: ReadonlyArray<string>) => Promise<void>
  readonly exited: Promise<number>
  readonly stop: () => Promise<void>
}

const keys: Readonly<Record<string, string>> = { enter: "\r", up: "\u001b[A", down: "\u001b[B", escape: "\u001b" }

export const startInTerminal = (
  command: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Terminal => {
  const screen = new Screen(140, 50)
  const decoder = new TextDecoder()
  let drawn = Promise.withResolvers<void>()
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: { TERM: "xterm-256color", LANG: "C.UTF-8", ...options.env },
    terminal: {
      cols: 140,
      rows: 50,
      data: (terminal, data) => {
        const text = decoder.decode(data, { stream: true })
        // Queries that a program waits for: where the cursor is, and what the terminal can do.
        if (text.includes("\u001b[6n")) terminal.write("\u001b[1;1R")
        if (text.includes("\u001b[c")) terminal.write("\u001b[?62c")
        screen.write(text)
        drawn.resolve()
        drawn = Promise.withResolvers()
      }
    }
  })
  const shows = (wanted: string | RegExp) => {
    const text = screen.text()
    return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)
  }
  return {
    screen: () => screen.text(),
    until: async (wanted, limitMs = 30_000) => {
      const limit = Date.now() + limitMs
      while (!shows(wanted)) {
        if (Date.now() > limit) throw new Error(`the screen does not show ${String(wanted)}:\n${screen.text()}`)
        await Promise.race([drawn.promise, Bun.sleep(200)])
      }
      return screen.text()
    },
    press: async (...pressed) => {
      for (const key of pressed) {
        child.terminal?.write(keys[key] ?? key)
        await Bun.sleep(150)
      }
    },
    exited: child.exited,
    stop: async () => {
      child.kill("SIGKILL")
      await child.exited
      child.terminal?.close()
    }
  }
}
