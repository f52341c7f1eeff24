"""A FastMCP server with a tool, a prompt and a resource of each kind that almanac has to pass on."""
import base64
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image

server = FastMCP("shop", instructions="Ask for the price first.")
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


@dataclass
class Who:
    name: str
    times: int = 2


@server.tool
def add(a: int, b: int) -> int:
    """Get the sum of two numbers."""
    return a + b


@server.tool
def shot() -> Image:
    """Get a picture."""
    return Image(data=PNG, format="png")


@server.tool
async def slow(ctx: Context) -> str:
    """Get something slowly, with progress."""
    for n in range(3):
        await ctx.report_progress(n + 1, 3, "working")
    return "done"


@server.tool
async def greet(ctx: Context) -> str:
    """Get a greeting for whoever is there."""
    answer = await ctx.elicit("Who is there?", Who)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.prompt
def review(code: str) -> str:
    """Review code."""
    return f"Review this: {code}"


@server.resource("shop://stock")
def stock() -> str:
    """The stock."""
    return '{"pens": 3}'


@server.resource("shop://item/{name}")
def item(name: str) -> str:
    """One item."""
    return f"item {name}"


if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False)
