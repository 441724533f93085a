import { defineConfig } from "vitest/config"

export default defineConfig({
  plugins: [
    {
      // As Bun does: a file that is no module is imported as its path.
      name: "files-as-paths",
      enforce: "pre",
      load: (id) => (id.endsWith(".tiktoken") ? `export default ${JSON.stringify(id)}` : null)
    }
  ],
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests of deadlines and hang-ups share two cores with their own servers; vitest names what needed a second run.
    retry: process.env["CI"] === undefined ? 0 : 1
  }
})
