// Asks the search of a built site: node search.js SITE QUERY ... prints the pages of the first three results of each.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, ...queries] = process.argv.slice(2);
const folder = path.join(site, "assets/javascripts/workers");
const worker = fs.readdirSync(folder).find((name) => /^search\..*js$/.test(name));

let listen, answered;
const context = {
  console,
  addEventListener: (_, listener) => (listen = listener),
  postMessage: (message) => answered(message),
};
context.self = context;
vm.runInNewContext(fs.readFileSync(path.join(folder, worker), "utf8"), context);

function ask(type, data) {
  return new Promise((resolve) => {
    answered = resolve;
    listen({ data: { type, data } });
  });
}

async function main() {
  const index = JSON.parse(fs.readFileSync(path.join(site, "search/search_index.json")));
  await ask(0, { ...index, options: {} });
  const found = {};
  for (const query of queries) {
    const { data } = await ask(2, query);
    found[query] = data.items.slice(0, 3).map((page) => page[0].location.split("#")[0]);
  }
  process.stdout.write(JSON.stringify(found));
}

main();
