"""People, company and job data: search, enrichment and jobs, from the service itself or from a storefront.

>>> from sluice import Sluice
>>> client = Sluice(api_key="sk_test", base_url="https://api.example.com")
"""

from ._async.client import AsyncSluice
from ._async.pages import (
    AsyncCompaniesPage,
    AsyncCursorPage,
    AsyncEmployeesPage,
    AsyncJobsPage,
    AsyncPage,
    AsyncPeoplePage,
    AsyncTamByJobsPage,
    AsyncTamByPeoplePage,
)
from ._sync.client import Sluice
from ._sync.pages import (
    CompaniesPage,
    CursorPage,
    EmployeesPage,
    JobsPage,
    Page,
    PeoplePage,
    TamByJobsPage,
    TamByPeoplePage,
)
from .charges import Charge, Renewal, ResponseInfo, charge
from .company import Company, CompanyJobs, CompanyPeople
from .errors import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    FieldError,
    InsufficientRecordsError,
    NotFoundError,
    PartialList,
    PaymentDeclinedError,
    PlanRequiredError,
    RateLimitError,
    ResponseValidationError,
    ServerError,
    SluiceError,
    ValidationError,
)
from .job import Job
from .key_info import KeyInfo
from .person import Person, RankedPerson
from .profile import Profile
from .record import Record
from .shop import Guide, Plan, Purchase, Registration
from .version import __version__

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AsyncCompaniesPage",
    "AsyncCursorPage",
    "AsyncEmployeesPage",
    "AsyncJobsPage",
    "AsyncPage",
    "AsyncPeoplePage",
    "AsyncSluice",
    "AsyncTamByJobsPage",
    "AsyncTamByPeoplePage",
    "AuthenticationError",
    "BadRequestError",
    "Charge",
    "CompaniesPage",
    "Company",
    "CompanyJobs",
    "CompanyPeople",
    "ConfigurationError",
    "CursorPage",
    "EmployeesPage",
    "FieldError",
    "Guide",
    "InsufficientRecordsError",
    "Job",
    "JobsPage",
    "KeyInfo",
    "NotFoundError",
    "Page",
    "PartialList",
    "PaymentDeclinedError",
    "PeoplePage",
    "Person",
    "Plan",
    "PlanRequiredError",
    "Profile",
    "Purchase",
    "RankedPerson",
    "RateLimitError",
    "Record",
    "Registration",
    "Renewal",
    "ResponseInfo",
    "ResponseValidationError",
    "ServerError",
    "Sluice",
    "SluiceError",
    "TamByJobsPage",
    "TamByPeoplePage",
    "ValidationError",
    "__version__",
    "charge",
]
