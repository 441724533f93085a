import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import axe from "axe-core"
import { chromium } from "playwright-core"
import type { Browser, Page, Request } from "playwright-core"
import { afterAll, expect } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere, StartOptions } from "../../gatewayHere.ts"
import { anyAddress, behindProxy } from "../browser.ts"

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path))

/** Says so, once a file, where tests are skipped for want of a browser. */
export const withoutChromium = (file: string): boolean => {
  if (program === undefined) console.log(`skipped: ${file}, there is no chromium here`)
  return program === undefined
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] })

export const adminKey = "admin-key-0123456789abcdefghijklmnop"

/** How a gateway is started that an operator can sign in to. */
export const operated = (env: Readonly<Record<string, string>> = {}) => ({
  env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_CHECK_ANSWERS: "true", ...env }
})

/**
 * Starts a gateway that an operator can sign in to: in the test's own process, with the page that the program of this run was
 * compiled with.
 */
export const startConsole = ({ env, folder }: StartOptions = {}): Promise<GatewayHere> => {
  embedPage()
  return startGateway({ ...(folder === undefined ? {} : { folder }), ...operated(env) })
}

/** Without a pack beside the compiled program, the page is built from its sources at its first request. */
const embedPage = () => {
  const program = process.env["TEST_GATEWAY"]
  const pack = program === undefined ? undefined : join(dirname(resolve(program)), "console.pack")
  if (pack !== undefined && existsSync(pack)) Reflect.set(Bun, "embeddedFiles", [Bun.file(pack)])
}
afterAll(() => void Reflect.set(Bun, "embeddedFiles", []))

/** A gateway that an operator can sign in to, and that calls receivers on this machine. */
export const startOperated = (config = "", env: Readonly<Record<string, string>> = {}): Promise<GatewayHere> => {
  const folder = operatedFolder(config)
  return startConsole({ folder, env })
}

/** The directory of such a gateway. */
export const operatedFolder = (config: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-console-"))
  writeFileSync(join(folder, "gateway.yaml"), `callbacks: { allow: [127.0.0.0/8] }\n${behindProxy}${config}`)
  return folder
}

/** Where pictures are written; none are taken otherwise. */
const pictures = process.env["CONSOLE_PICTURES"]
if (pictures !== undefined) mkdirSync(pictures, { recursive: true })

interface Look {
  readonly theme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
}

/** A page in a browser of its own, which hears what the page complains of. */
export const visit = async (
  browser: Browser,
  gateway: { readonly url: string },
  { height = 900, theme = "light", width = 1440 }: Look = {}
) => {
  const context = await browser.newContext({
    baseURL: gateway.url,
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    extraHTTPHeaders: { "x-forwarded-for": anyAddress() },
    permissions: ["clipboard-read", "clipboard-write"]
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const complaints: Array<string> = []
  const awaited: Array<RegExp> = []
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`))
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(gateway.url))
      complaints.push(`elsewhere: ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const underWay = new Set<Request>()
  page.on("request", (request) => {
    if (!/\/events(\?|$)/.test(request.url())) underWay.add(request)
  })
  page.on("requestfinished", (request) => underWay.delete(request))
  page.on("requestfailed", (request) => underWay.delete(request))
  /** Two frames: what an answer brought is drawn, and what that asks for is under way. */
  const drawn = () =>
    page.evaluate(
      () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
    )
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
    )
  )
  return {
    page,
    context,
    /** Waits until the page waits for nothing but live events. */
    idle: async () => {
      do {
        await expect.poll(() => underWay.size).toBe(0)
        await drawn()
      } while (underWay.size > 0)
    },
    /** Failures that a flow provokes; the browser logs each answer that is none of the good ones. */
    awaits: (text: RegExp) => awaited.push(text),
    quiet: () => expect(complaints.filter((text) => !awaited.some((one) => one.test(text)))).toEqual([]),
    close: () => context.close()
  }
}
export const signIn = async (page: Page, key: string, at = "/console"): Promise<void> => {
  await page.goto(at)
  await page.getByLabel("Key", { exact: true }).fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("navigation", { name: "Console" }).waitFor()
}

/** What stands between the page and WCAG 2.2 AA, as axe finds it. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // Its half a megabyte is parsed once a page.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          options: object
        ) => Promise<{ violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary: string }> }> }>
      }
    }
    const found = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 200)}`)
    )
  })
}

export const picture = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/** Whether the page is no wider than the window. */
export const fitsIn = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const main = document.querySelector("main")
    return document.documentElement.scrollWidth <= innerWidth && (main === null || main.scrollWidth <= main.clientWidth)
  })
