"""Uses almanac serve as a client does: client.py mcp|fastmcp COMMAND... or URL. The server of server.py is its source."""
import asyncio
import json
import os
import sys


def text(result):
    # Where the protocol has no handshake, an answer ends with the name of its session, which is another each time.
    return "".join(getattr(c, "text", "") for c in result.content).split("\n[session ")[0]


async def use(call, prompts, prompt, resources, templates, read, tools):
    print("tools", sorted(t.name for t in await tools()))
    script = {"script": "return shop.add{a=2, b=40}", "actions": ["shop.add"]}
    print("sum", text(await call("lua_tools_execute", script)))
    script = {"script": "return shop.greet{}", "actions": ["shop.greet"]}
    print("greeting", text(await call("lua_tools_execute", script)))
    script = {"script": "return shop.shot{}", "actions": ["shop.shot"]}
    print("picture", [c.type for c in (await call("lua_tools_execute", script)).content])
    print("prompts", [p.name for p in await prompts()])
    got = await prompt("shop.review", {"code": "x = 1"})
    print("prompt", got.messages[0].content.text)
    print("resources", [str(r.uri) for r in await resources()])
    print("templates", sorted(str(getattr(t, "uri_template", "")) for t in await templates()))
    for uri in ("almanac://shop/shop://stock", "almanac://shop/shop://item/pen"):
        print(uri, await read(uri))


async def official(target):
    from mcp import StdioServerParameters
    from mcp.client.client import Client
    from mcp.types import ElicitResult

    async def answer(context, params):
        keys = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={"decision": "once"} if "decision" in keys else {"name": "Ann"})

    server = target[0] if len(target) == 1 else StdioServerParameters(
        command=target[0], args=target[1:], env=dict(os.environ))
    async with Client(server, elicitation_callback=answer) as c:
        async def read(uri):
            return (await c.read_resource(uri)).contents[0].text

        async def listed(f, name):
            return getattr(await f(), name)

        await use(c.call_tool, lambda: listed(c.list_prompts, "prompts"), c.get_prompt,
                  lambda: listed(c.list_resources, "resources"),
                  lambda: listed(c.list_resource_templates, "resource_templates"), read,
                  lambda: listed(c.list_tools, "tools"))


async def fast(target):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async def answer(message, kind, params, context):
        keys = params.requested_schema["properties"]
        return {"decision": "once"} if "decision" in keys else {"name": "Ann"}

    server = target[0] if len(target) == 1 else StdioTransport(
        command=target[0], args=target[1:], env=dict(os.environ))
    async with Client(server, elicitation_handler=answer) as c:
        async def read(uri):
            return (await c.read_resource(uri))[0].text

        await use(c.call_tool, c.list_prompts, c.get_prompt, c.list_resources, c.list_resource_templates, read,
                  c.list_tools)


asyncio.run({"mcp": official, "fastmcp": fast}[sys.argv[1]](sys.argv[2:]))
