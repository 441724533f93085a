import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey, openBrowser, picture, signIn, startOperated, violations, visit, withoutChromium } from "./browser.ts"
import { calls } from "./seed.ts"

const isSkipped = withoutChromium("test/console/browser/tasks.test.ts")

let browser: Browser
let gateway: GatewayHere

/** A receiver of callbacks. It refuses them until told otherwise. */
const receiver = { status: 410, body: '<img src=x onerror="alert(1)"> gone' }
const server = Bun.serve({ port: 0, fetch: () => new Response(receiver.body, { status: receiver.status }) })

describe.skipIf(isSkipped)("a task in the console", () => {
  beforeAll(async () => {
    ;[browser, gateway] = await Promise.all([
      openBrowser(),
      startOperated("accounts: { default: { record: { bodies: on } } }\n")
    ])
  })
  afterAll(() => Promise.all([browser.close(), gateway.dispose(), server.stop(true)]))

  it("is followed to its end, its file played, and its callback sent again", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const { video } = calls(gateway)
    const id = await video("A paper boat", { callback_url: `http://127.0.0.1:${server.port}/hook` })
    await signIn(page, adminKey)
    await page.goto(`/console/tasks/${id}`)
    const drawer = page.locator(".drawer")
    await expect.poll(() => drawer.locator("h2").first().textContent()).toContain("succeeded")
    const player = drawer.locator("video")
    await player.waitFor()
    const played = await player.evaluate(async (element) => {
      const film = element as HTMLVideoElement
      film.muted = true
      await film.play()
      await new Promise((resolve) => film.addEventListener("timeupdate", resolve, { once: true }))
      return { width: film.videoWidth, seconds: film.duration }
    })
    expect(played.width).toBeGreaterThan(400)
    expect(played.seconds).toBeGreaterThan(1)
    await drawer.getByText("No callback reported that it succeeded.").waitFor()
    expect(await violations(page)).toEqual([])
    await picture(page, "task-undelivered")
    await page.goto("/console/tasks?callback=given_up")
    await page.getByRole("row", { name: id }).getByText("given up", { exact: true }).waitFor()
    await picture(page, "tasks-given-up")
    await page.goto(`/console/tasks/${id}`)
    receiver.status = 204
    receiver.body = ""
    await drawer.getByRole("button", { name: "Redeliver" }).first().click()
    await expect.poll(() => drawer.getByRole("table", { name: "Deliveries" }).textContent()).toContain("delivered")
    await expect.poll(() => drawer.getByText("No callback reported").count()).toBe(0)
    await picture(page, "task-delivered")
    await page.goto("/console/tasks")
    await page.getByRole("row", { name: id }).getByText("delivered").waitFor()
    await page.getByLabel("Any callback").selectOption("given_up")
    await page.getByText("No task of the last 30 days matches").waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it("tells when its stuck callback is tried next, and leads to its request and back", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    receiver.status = 503
    const id = await calls(gateway).video("A paper crane", { callback_url: `http://127.0.0.1:${server.port}/hook` })
    await signIn(page, adminKey)
    await page.goto(`/console/tasks/${id}`)
    const drawer = page.locator(".drawer")
    await drawer.locator("h2", { hasText: "succeeded" }).waitFor()
    await drawer.getByRole("table", { name: "Deliveries" }).getByText("503").first().waitFor()
    await page.goto("/console/tasks")
    await page.getByLabel("Any callback").selectOption("stuck")
    const row = page.locator(`tr[data-id="${id}"]`)
    await expect.poll(() => row.textContent(), { timeout: 60_000 }).toMatch(/stuck (in \d+ (s|min)|tried now)/)
    expect(await violations(page)).toEqual([])
    await picture(page, "tasks-stuck")
    await row.click()
    await drawer.getByRole("link", { name: /^req_/ }).click()
    await page.waitForURL("**/console/requests/req_*")
    await drawer.getByRole("link", { name: id }).click()
    await page.waitForURL(`**/console/tasks/${id}`)
    await drawer.locator("h2", { hasText: "succeeded" }).waitFor()
    receiver.status = 204
    visitor.quiet()
    await visitor.close()
  })

  it("is repeated in the playground with its prompt and settings, where its account has them recorded", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const { admin, video } = calls(gateway)
    await signIn(page, adminKey)
    const repeated = async (id: string) => {
      await page.goto(`/console/tasks/${id}`)
      await page.locator(".drawer h2", { hasText: "succeeded" }).waitFor()
      await page.locator(".drawer").getByRole("link", { name: "Repeat in playground" }).click()
      await page.getByRole("button", { name: id }).waitFor()
      await expect.poll(() => page.getByLabel("Model", { exact: true }).inputValue()).toBe("sandbox-video")
      const fields = ["Prompt", "Resolution", "Ratio", "Seconds"]
      return Promise.all(fields.map((name) => page.getByLabel(name, { exact: true }).inputValue()))
    }
    const given = { resolution: "720p", ratio: "9:16", duration: 5 }
    const own = await video("A kite over the dunes", given)
    expect(await repeated(own)).toEqual(["A kite over the dunes", "720p", "9:16", "5"])
    await picture(page, "playground-repeated")
    await admin("/accounts", { id: "quiet" })
    const { secret } = await admin("/keys", { name: "quiet", account: "quiet" })
    const others = await video("An unrecorded prompt", { ratio: "9:16", duration: 5 }, secret)
    const [prompt, ...settings] = await repeated(others)
    expect(prompt).not.toContain("unrecorded prompt")
    expect(settings).toEqual(["480p", "9:16", "5"])
    await page.getByText("The prompt was not recorded").waitFor()
    visitor.quiet()
    await visitor.close()
  })

  it("plays its file from the public address too, where the page was opened at another", async () => {
    let behind = ""
    const front = Bun.serve({
      port: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url)
        return fetch(behind + pathname + search, { headers: request.headers })
      }
    })
    const publicUrl = `http://localhost:${front.port}`
    const other = await startOperated("", { GATEWAY_PUBLIC_URL: publicUrl })
    behind = other.url
    const visitor = await visit(browser, other)
    const { page } = visitor
    visitor.awaits(new RegExp(`elsewhere: ${publicUrl}/files/`))
    const asked: Array<string> = []
    page.on("request", (request) => request.url().includes("/files/") && asked.push(new URL(request.url()).origin))
    const seconds = () =>
      page.locator(".drawer video").evaluate(async (element) => {
        const film = element as HTMLVideoElement
        if (!(film.duration > 0)) {
          await new Promise((resolve) => film.addEventListener("loadedmetadata", resolve, { once: true }))
        }
        return film.duration
      })
    try {
      const id = await calls(other).video("A paper boat")
      await signIn(page, adminKey)
      await page.goto(`/console/tasks/${id}`)
      await page.locator(".drawer video").waitFor()
      expect(await seconds()).toBeGreaterThan(1)
      expect(new Set(asked)).toEqual(new Set([other.url]))
      // Where this address does not have it.
      visitor.awaits(/status of 404/)
      await page.route(`${other.url}/files/**`, (route) => route.fulfill({ status: 404 }))
      await page.reload()
      await page.locator(".drawer video").waitFor()
      expect(await seconds()).toBeGreaterThan(1)
      expect(asked).toContain(new URL(publicUrl).origin)
      visitor.quiet()
    } finally {
      await visitor.close()
      await other.dispose()
      await front.stop(true)
    }
  })

  it("is cancelled while it waits", async () => {
    const visitor = await visit(browser, gateway)
    const { page } = visitor
    const id = await calls(gateway).video("[[sandbox: queue=1h]] A paper boat")
    await signIn(page, adminKey)
    await page.goto(`/console/tasks?state=queued`)
    await page.locator(`tr[data-id="${id}"]`).click()
    await page.locator(".drawer").getByRole("button", { name: "Cancel task" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click()
    await expect.poll(() => page.locator(".drawer h2").first().textContent()).toContain("cancelled")
    visitor.quiet()
    await visitor.close()
  })
})
