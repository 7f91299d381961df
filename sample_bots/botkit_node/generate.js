// Writes protos.json, the protocol as protobufjs reads it fastest, from protos/ninefold/v1/*.proto; with --check it
// writes nothing and fails when what is committed differs. Needs node_modules (npm ci) beside it or on NODE_PATH.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const protobuf = require("protobufjs");

const repository = path.resolve(__dirname, "..", "..");
const target = path.join(__dirname, "protos.json");
const root = new protobuf.Root();
root.resolvePath = (_origin, name) => path.join(repository, name);
root.loadSync("protos/ninefold/v1/table.proto", { keepCase: true });
const text = JSON.stringify(root.toJSON(), null, 1) + "\n";
if (!process.argv.includes("--check")) {
  fs.writeFileSync(target, text);
} else if (fs.readFileSync(target, "utf8") !== text) {
  console.error("protos.json does not match the .proto files: run `node sample_bots/botkit_node/generate.js`");
  process.exit(1);
}
