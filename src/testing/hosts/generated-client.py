# A client made from the OpenAPI document of a host alone: one method per operationId, with its parameters and its body.
import json
import sys
import urllib.parse
import urllib.request


def client_of(url, key):
    """Operations by name. Unknown arguments and missing path parameters are refused."""
    with urllib.request.urlopen(f"{url}/v1/openapi.json") as answer:
        document = json.load(answer)

    def resolve(schema):
        while "$ref" in schema:
            found = document
            for part in schema["$ref"].lstrip("#/").split("/"):
                found = found[part]
            schema = found
        return schema

    def operation(method, path, described):
        parameters = [resolve(one) for one in described.get("parameters", [])]
        body = described.get("requestBody")

        def call(body_value=None, **given):
            known = {one["name"] for one in parameters}
            if set(given) - known:
                raise TypeError(f"{described['operationId']} has no parameter {set(given) - known}")
            missing = [one["name"] for one in parameters if one.get("required") and one["name"] not in given]
            if missing or (body_value is not None and body is None):
                raise TypeError(f"{described['operationId']}: missing {missing}, body {body is not None}")
            target, query, headers = path, [], {"authorization": f"Bearer {key}"}
            for one in parameters:
                if one["name"] not in given:
                    continue
                value = str(given[one["name"]])
                if one["in"] == "path":
                    target = target.replace("{%s}" % one["name"], urllib.parse.quote(value, safe=""))
                elif one["in"] == "query":
                    query.append((one["name"], value))
                else:
                    headers[one["name"]] = value
            data = None
            if body_value is not None:
                media = next(iter(body["content"]))
                headers["content-type"] = media
                data = json.dumps(body_value).encode()
            full = f"{url}{target}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
            request = urllib.request.Request(full, data=data, method=method.upper(), headers=headers)
            with urllib.request.urlopen(request, timeout=30) as answer:
                if str(answer.status) not in described["responses"]:
                    raise ValueError(f"{described['operationId']} does not describe {answer.status}")
                text = answer.read()
                return json.loads(text) if text else None

        return call

    names = {}
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            names[described["operationId"]] = operation(method, path, described)
    return type("Client", (), {name: staticmethod(call) for name, call in names.items()})


host = client_of(sys.argv[1], sys.stdin.read().strip())
made = host.createPrompt({"templateId": "greeting", "version": "1.0.0", "kind": "system", "text": "Greet {{name}}.",
                          "variables": [{"name": "name", "type": "string", "required": True}]})
host.moveLabel({"version": "1.0.0", "why": "first"}, templateId="greeting", label="live")
labels = host.listLabels(templateId="greeting")
rendered = host.renderPrompt({"ref": "prompt:greeting@1.0.0", "variables": {"name": "Ada"}})
host.putWorkflow({"id": "hello", "objective": "Greet.", "nodes": [{"id": "a"}]}, workflowId="hello")
started = host.createRun({"workflowId": "hello"})
run = host.getRun(runId=started["runId"])
listed = host.listRuns(limit="10")
json.dump({"made": made, "labels": labels, "rendered": rendered, "started": started, "run": run, "listed": listed}, sys.stdout)
