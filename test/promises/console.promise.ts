import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, openBrowser, operated, signIn, visit, withoutChromium } from "../console/browser/browser.ts"
import { longestTaskMs } from "../console/browser/longestTask.ts"
import { storeVolume } from "../console/browser/volume.ts"
import { behindProxy } from "../console/browser.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { keeps } from "./keeps.ts"

const isSkipped = withoutChromium("test/promises/console.promise.ts")

const requests = 100_000
const tasks = 10_000
const hourMs = 3_600_000

let browser: Browser
let gateway: GatewayProcess

/** A gateway in whose file there is a day's work. Each visitor signs in from an address of its own. */
const startWithVolume = async (): Promise<GatewayProcess> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-volume-"))
  writeFileSync(join(folder, "gateway.yaml"), behindProxy)
  const options = { folder, ...operated({ GATEWAY_CHECK_ANSWERS: "false" }) }
  const first = await startGateway(options)
  first.signal("SIGTERM")
  await first.exited
  storeVolume(folder, { requests, tasks, spanMs: 20 * hourMs })
  return startGateway(options)
}

/** From navigation until something of the page's own is in it and has been painted, in ms. */
const paintedMs = async (page: Page, path: string, content: string): Promise<number> => {
  await page.goto("about:blank")
  await page.addInitScript((wanted) => {
    const look = () => {
      if (document.querySelector(wanted) === null) requestAnimationFrame(look)
      else requestAnimationFrame(() => setTimeout(() => performance.mark("painted")))
    }
    look()
  }, content)
  await page.goto(path, { waitUntil: "commit" })
  await page.locator(content).first().waitFor()
  await page.waitForFunction(() => performance.getEntriesByName("painted").length > 0)
  return page.evaluate(() => performance.getEntriesByName("painted")[0]!.startTime)
}

/** Scrolls by so many pixels a frame, for a while or to the end, and says how long its frames took, in ms. */
const scrolled = (page: Page, pixels: number, forMs: number): Promise<ReadonlyArray<number>> =>
  page.evaluate(
    ({ forMs, pixels }) => {
      const main = document.querySelector("main")!
      const frames: Array<number> = []
      const began = performance.now()
      return new Promise<Array<number>>((resolve) => {
        const step = (last: number) =>
          requestAnimationFrame((now) => {
            frames.push(now - last)
            main.scrollTop += pixels
            if (now - began > forMs) resolve(frames)
            else step(now)
          })
        requestAnimationFrame(step)
      })
    },
    { forMs, pixels }
  )

describe.skipIf(isSkipped)(`a console over ${requests} requests and ${tasks} tasks`, () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([openBrowser(), startWithVolume()])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose()]))

  it.each([
    ["Overview", "/console?range=24h", "main .figures"],
    ["Requests", "/console/requests?range=24h", "main tbody tr[data-id]"],
    ["Tasks", "/console/tasks", "main tbody tr[data-id]"],
    ["Keys", "/console/keys", "main tbody tr[data-id]"],
    ["Accounts", "/console/accounts", "main tbody tr"],
    ["Models", "/console/models", "main tbody tr"],
    ["Playground", "/console/playground", "main textarea"]
  ])("shows %s within a second", async (name, path, content) => {
    await keeps(`${name} from navigation to its content`, 1_000, async () => {
      const visitor = await visit(browser, gateway)
      await signIn(visitor.page, adminKey)
      const ms = await paintedMs(visitor.page, path, content)
      visitor.quiet()
      await visitor.close()
      return ms
    })
  })

  const list = async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    await signIn(page, adminKey)
    await page.goto("/console/requests?range=24h")
    await page.locator("main tbody tr[data-id]").first().waitFor()
    await expect.poll(() => page.locator(".head-note").textContent()).toContain("100,000 requests")
    return visitor
  }

  it("scrolls to the last of them, with few of them in the page", async () => {
    const { close, page, quiet } = await list()
    const last = page.locator(`main tr[aria-rowindex="${requests + 1}"]`)
    while ((await last.count()) === 0) await scrolled(page, 12_000, 1_000)
    expect(await page.locator("main tbody tr[data-id]").count()).toBeLessThan(80)
    quiet()
    await close()
  })

  it("scrolls without a turn of the page that takes long", async () => {
    const { close, page, quiet } = await list()
    await keeps(
      "the longest turn while 20 rows a frame go by",
      50,
      () => longestTaskMs(browser, () => scrolled(page, 640, 4_000)),
      "objects"
    )
    quiet()
    await close()
  })

  it("turns the wheel through them without a stutter", async () => {
    const { close, page, quiet } = await list()
    await page.mouse.move(700, 600)
    await keeps("99 of 100 frames while the wheel turns", 50, async () => {
      const frames = scrolled(page, 0, 3_000)
      for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 240)
      const sorted = (await frames).toSorted((one, other) => other - one)
      return sorted[Math.floor(sorted.length / 100)] ?? 0
    })
    expect(await page.locator("main").evaluate((main) => main.scrollTop)).toBeGreaterThan(5_000)
    quiet()
    await close()
  })
})
