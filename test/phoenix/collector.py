"""A collector that reads log records with OpenTelemetry's own code, and prints each as a line of JSON."""

import gzip
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict, Parse
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        request = ExportLogsServiceRequest()
        if self.headers["content-type"] == "application/json":
            # OTLP's JSON has ids in hexadecimal, protobuf's in base64.
            plain = json.loads(body)
            for resource in plain["resourceLogs"]:
                for scope in resource["scopeLogs"]:
                    for record in scope["logRecords"]:
                        record.pop("traceId", None)
                        record.pop("spanId", None)
            Parse(json.dumps(plain), request)
        else:
            request.ParseFromString(body)
        for resource in request.resource_logs:
            of = {one.key: one.value.string_value for one in resource.resource.attributes}
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    print(
                        json.dumps(
                            {
                                "body": record.body.string_value,
                                "event": next((one.value.string_value for one in record.attributes if one.key == "event.name"), ""),
                                "severity": record.severity_number,
                                "unknown": len(UnknownFieldSet(record)),
                                "traceId": record.trace_id.hex(),
                                "spanId": record.span_id.hex(),
                                "service": of.get("service.name"),
                                "attributes": {one.key: MessageToDict(one.value) for one in record.attributes},
                            }
                        ),
                        flush=True,
                    )
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
