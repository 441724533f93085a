const main = document.querySelector("main")
const docs = document.createElement("a")
docs.href = "/docs"
docs.textContent = "Documentation"
main?.append(docs)
