if grep -q "{.tool_result"; then echo "Tea is at four."; else cat call.txt; fi
