"""The tools of the store: one call a line on standard input, one answer a line on standard output."""

import json
import pathlib
import sys

orders = json.loads(pathlib.Path(__file__).with_name("orders.json").read_text(encoding="utf-8"))


def list_orders(user):
    return [order for order in orders if order["user"] == user]


tools = {("store", "listOrders"): list_orders}

for line in sys.stdin:
    call = json.loads(line)
    tool = tools.get((call["provider"], call["tool"]))
    try:
        if tool is None:
            raise LookupError(f"There is no tool {call['tool']} in {call['provider']}.")
        answer = {"result": tool(*call["args"])}
    except Exception as error:
        answer = {"error": str(error) or type(error).__name__}
    print(json.dumps({"id": call["id"], **answer}), flush=True)
