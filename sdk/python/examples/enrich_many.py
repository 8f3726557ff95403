"""Work emails of many people at once. The client holds the calls to five a second and repeats those that fail."""

import asyncio

from sluice import AsyncSluice, SluiceError

profiles = ["https://www.network.example/in/beulah-lee", "https://www.network.example/in/tomas-ibarra"]


async def main() -> None:
    async with AsyncSluice() as client:

        async def email(profile: str) -> str:
            try:
                found = await client.enrichment.email(person_network_url=profile)
            except SluiceError as error:
                return f"{profile}: {error}"
            return f"{profile}: {found.email or 'not found'}"

        for line in await asyncio.gather(*map(email, profiles)):
            print(line)


asyncio.run(main())
