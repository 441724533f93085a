import { program } from "../../e2e/program.ts"

interface Login {
  /** The home of the person at the command line. */
  readonly home: string
  readonly gateway: string
  /** What a person does with the code. */
  readonly decide: (code: string) => Promise<void>
  readonly options?: ReadonlyArray<string>
}

/** Runs `gateway login`, whose code a person decides about. */
export const gatewayLogin = async ({ decide, gateway, home, options = [] }: Login) => {
  const child = Bun.spawn([...program(), "login", ...options], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, GATEWAY_URL: gateway },
    stdout: "pipe",
    stderr: "pipe"
  })
  let said = ""
  const decoder = new TextDecoder()
  let decided = false
  for await (const chunk of child.stderr) {
    said += decoder.decode(chunk, { stream: true })
    const [, code] = /user_code=(\S{9})\n/.exec(said) ?? []
    if (code === undefined || decided) continue
    decided = true
    await decide(code)
  }
  return { code: await child.exited, out: await new Response(child.stdout).text(), said }
}
