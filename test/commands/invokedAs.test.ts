import { expect, it } from "vitest"
import { invokedAs } from "../../src/commands/invokedAs.ts"

const none = () => null
const run = {
  main: "/srv/gateway/src/main.ts",
  execPath: "/usr/bin/bun",
  cwd: "/srv/gateway",
  npmCommand: undefined,
  bunVersion: "1.4.5",
  which: (command: string) => (command === "bun" ? "/usr/bin/bun" : null)
}
const npx = "/home/me/.npm/_npx/0123/node_modules/bun/bin/bun.exe"
const shipped = "/srv/node_modules/model-gateway/dist/package/src/main.js"
const binary = { ...run, main: "/$bunfs/root/gateway", execPath: "/srv/gateway/dist/gateway" }

it.each([
  ["from sources", run, "bun src/main.ts"],
  ["from sources, elsewhere", { ...run, cwd: "/home/me" }, "bun /srv/gateway/src/main.ts"],
  ["by npx, without Bun", { ...run, execPath: npx, which: () => npx }, "npx -y bun@1.4.5 src/main.ts"],
  ["from the package by npx", { ...run, main: shipped, npmCommand: "exec", which: () => "/x" }, "npx model-gateway"],
  ["from a package that is installed for all", { ...run, main: shipped, which: () => "/usr/bin/gateway" }, "gateway"],
  ["as a binary", { ...binary, which: none }, "dist/gateway"],
  ["as a binary in its own folder", { ...binary, cwd: "/srv/gateway/dist", which: none }, "./gateway"],
  ["as a binary in the PATH", { ...binary, which: () => "/srv/gateway/dist/gateway" }, "gateway"]
] as const)("names commands that run as printed: %s", (_, how, expected) => {
  expect(invokedAs(how)).toBe(expected)
})
