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
    testTimeout: 20_000,
    hookTimeout: 60_000
  }
})
