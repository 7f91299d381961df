"""Sends fifty million bytes as one message, and stays when it is refused."""

import time

import grpc
from _ordinary import at_third_decision

try:
    at_third_decision(lambda send: send(bytes(50_000_000)))
except grpc.RpcError as error:
    print(error.details(), flush=True)
    time.sleep(1000)
